"""A model in memory, and batches of answers from it. Runs in the worker; torch is imported here."""

from __future__ import annotations

import copy
import dataclasses
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from spade_jax.generator.llm.decoding.guide import Guide, Vocabulary
from spade_jax.generator.llm.decoding.sampling import draw
from spade_jax.generator.llm.decoding.script import Script
from spade_jax.generator.llm.decoding.scripts import script_for
from spade_jax.generator.llm.messages import Message, Request, Response
from spade_jax.generator.llm.tuning.weights import adapted

__all__ = ["LocalModel"]

SYSTEM = "You design small games for an agent to learn from, in the language that you are shown."
"""Said where a conversation has no system message: some models put in one of their own."""

HOTTER = 0.15
"""Added to the temperature for each refusal in a row: the same piece would come again."""


class LocalModel:
    """A causal model of transformers.

    Args:
      folder: a folder with safetensors and a tokenizer.
      device: "cpu", "cuda", or "auto" for CUDA where there is a device.
      threads: of torch on a CPU.
      constrain: "off" sees to no shape of a request, "grammar" to the form of a program, "lines" to
        the names in it as well.
      chat: whether the tokenizer's chat template is used: "auto" where it has one.
      adapter: folder of what tuning added to the weights, "" for the model as it came; the revision
        says which.
    """

    def __init__(
        self,
        folder: str,
        *,
        name: str,
        revision: str = "",
        device: str = "auto",
        threads: int = 1,
        constrain: str = "lines",
        chat: str = "auto",
        adapter: str = "",
        offline: bool = True,
    ) -> None:
        import torch
        import transformers

        transformers.logging.set_verbosity_error()
        # a cache has had two names by now; both work
        warnings.filterwarnings("ignore", category=FutureWarning)
        torch.set_num_threads(max(threads, 1))
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        self.torch, self.device, self.name, self.constrain = torch, device, name, constrain
        files: dict[str, Any] = {"local_files_only": offline}
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(folder, **files)
        self.model = transformers.AutoModelForCausalLM.from_pretrained(
            folder, dtype=torch.bfloat16, **files
        )
        self.revision = revision or str(getattr(self.model.config, "_commit_hash", "") or "")
        if adapter:
            self.model, digest = adapted(self.model, adapter)
            self.revision += f"+{digest[:16]}"
        self.model.to(device).eval()
        self.chat = bool(self.tokenizer.chat_template) if chat == "auto" else chat == "template"
        self.window = int(getattr(self.model.config, "max_position_embeddings", 0) or 1 << 20)
        self.ends = self._ends()
        self._vocabulary: Vocabulary | None = None
        self._prefix: tuple[tuple[int, ...], Any] = ((), None)

    def _ends(self) -> frozenset[int]:
        """Tokens that end an answer."""
        config = self.model.generation_config
        found = config.eos_token_id if config is not None else None
        ends = set(found if isinstance(found, list) else [found])
        ends.add(self.tokenizer.eos_token_id)
        for word in ("<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<end_of_turn>"):
            number = self.tokenizer.convert_tokens_to_ids(word)
            if number is not None and number != self.tokenizer.unk_token_id:
                ends.add(number)
        return frozenset(int(e) for e in ends if isinstance(e, int))

    @property
    def vocabulary(self) -> Vocabulary:
        """The tokens as the grammar engine knows them."""
        if self._vocabulary is None:
            import llguidance.hf

            size = int(self.model.get_output_embeddings().weight.shape[0])
            tokens = llguidance.hf.from_tokenizer(self.tokenizer, n_vocab=size)
            fences = {
                i
                for word, i in self.tokenizer.get_vocab().items()
                if word.lstrip("ĠĊ▁ \n").startswith("```")
            }
            decode = tokens.decode_bytes
            self._vocabulary = Vocabulary(tokens, decode, self.ends | fences)
        return self._vocabulary

    # --- requests -------------------------------------------------------------------------------

    def prompt(self, request: Request) -> list[int]:
        """The tokens of a conversation, up to where the answer begins."""
        messages = list(request.messages)
        if not any(m.role == "system" for m in messages):
            messages.insert(0, Message("system", SYSTEM))
        fence = "```python\n" if self.fenced(request) else ""
        if not self.chat:
            parts = [m.content.strip() for m in messages]
            return list(self.tokenizer("\n\n".join(parts) + "\n\n" + fence)["input_ids"])
        turns = [dataclasses.asdict(m) for m in messages]
        try:
            text = self.tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True
            )
        except Exception:  # templates that know no system message raise whatever they like
            turns = _without_system(messages)
            text = self.tokenizer.apply_chat_template(
                turns, tokenize=False, add_generation_prompt=True
            )
        return list(self.tokenizer(text + fence, add_special_tokens=False)["input_ids"])

    @property
    def end(self) -> int:
        """The token that ends a turn of the model's own."""
        found = self.tokenizer.eos_token_id
        return int(found) if isinstance(found, int) else min(self.ends)

    def fenced(self, request: Request) -> bool:
        """Whether the answer is code alone, so that its fence is opened for the model."""
        return self.constrain != "off" and ("program" in request.shape or "hole" in request.shape)

    def complete(self, requests: Sequence[Request], tell: Callable[[int, Response], None]) -> None:
        """Tell one response a request, with its index, as soon as it is there.

        The requests are one batch, and none depends on another: where one fails, the others go on;
        where the model cannot take them together, each is tried alone.
        """
        rows = [self._row(i, request) for i, request in enumerate(requests)]
        for row in rows:
            if row.done:
                tell(row.index, row.response(self))
        with self.torch.inference_mode():
            self._try([row for row in rows if not row.done], tell)

    def _try(self, rows: list[_Row], tell: Callable[[int, Response], None]) -> None:
        why = self._failure(rows, tell) if rows else ""
        if not why:
            return
        self._prefix = ((), None)
        rest = [row for row in rows if not row.told]
        if len(rows) > 1:
            for row in rest:
                self._try([self._row(row.index, row.request)], tell)
        for row in rest if len(rows) == 1 else []:
            row.fail(why)
            tell(row.index, row.response(self))

    def _failure(self, rows: list[_Row], tell: Callable[[int, Response], None]) -> str:
        """Answer; why that came to an end before all were answered, or ""."""
        try:
            self._run(rows, tell)
        except Exception as error:  # libraries raise what they like, memory runs out
            return _named(error)
        return ""

    def _script(self, request: Request) -> Script | None:
        if self.constrain == "off":
            return None
        return script_for(request.shape, names=self.constrain == "lines")

    def _row(self, index: int, request: Request) -> _Row:
        try:
            script = self._script(request)
            guide = Guide(self.vocabulary, script) if script is not None else None
            ids = self.prompt(request)
        except Exception as error:  # of a template, a tokenizer, a grammar
            return _Row(index, request, [], None, error=_named(error))
        if len(ids) + request.sampling.max_tokens > self.window:
            what = (
                f"the prompt has {len(ids)} tokens, the answer may have "
                f"{request.sampling.max_tokens}, and the model takes {self.window} in all"
            )
            return _Row(index, request, ids, None, error=what)
        return _Row(index, request, ids, guide)

    # --- decoding -------------------------------------------------------------------------------

    def _run(self, rows: list[_Row], tell: Callable[[int, Response], None]) -> None:
        torch = self.torch
        start = time.perf_counter()
        logits, cache, mask, places = self._prefill([row.prompt for row in rows])
        while True:
            tokens = [row.follow(scores, self) for row, scores in zip(rows, logits)]
            dropped = [row.forget() for row in rows]
            now = time.perf_counter()
            for row in rows:
                row.seconds += (now - start) / len(rows)
            start = now
            going = [i for i, row in enumerate(rows) if not row.done]
            for row in rows:
                if row.done:
                    row.told = True
                    tell(row.index, row.response(self))
            if not going:
                return
            if len(going) < len(rows):
                at = torch.tensor(going, device=self.device)
                cache.batch_select_indices(at)
                mask, places = mask[at], places[at]
                rows = [rows[i] for i in going]
                tokens, dropped = [tokens[i] for i in going], [dropped[i] for i in going]
            for i, slots in enumerate(dropped):
                # refused tokens stay in the cache and are seen by nobody
                mask[i, slots] = 0
                places[i] -= len(slots)
            mask = torch.cat([mask, torch.ones_like(mask[:, :1])], dim=1)
            out = self.model(
                input_ids=torch.tensor(tokens, device=self.device)[:, None],
                attention_mask=mask,
                position_ids=places[:, None],
                past_key_values=cache,
                use_cache=True,
            )
            for row in rows:
                row.fed(mask.shape[1] - 1)
            places = places + 1
            logits = out.logits[:, -1].float().cpu().numpy()

    def _prefill(self, prompts: list[list[int]]) -> tuple[np.ndarray, Any, Any, Any]:
        """(logits [B, V], cache, attention mask [B, T], next position [B]) after the prompts.

        What all prompts begin with is run once; equal prompts are run once.
        """
        from spade_jax.generator.llm.backends.roomy import make_roomy

        torch = self.torch
        distinct = list(dict.fromkeys(map(tuple, prompts)))
        shared = _common(distinct)
        cache = self._shared(distinct[0][:shared])
        rests = [list(p[shared:]) for p in distinct]
        width = max(map(len, rests))
        rows = len(distinct)
        if rows > 1:
            cache.batch_repeat_interleave(rows)
        padded = [[0] * (width - len(rest)) + rest for rest in rests]
        ones = [[1] * shared + [0] * (width - len(rest)) + [1] * len(rest) for rest in rests]
        mask = torch.tensor(ones, device=self.device)
        places = (mask.cumsum(1) - 1).clamp(min=0)[:, shared:]
        out = self.model(
            input_ids=torch.tensor(padded, device=self.device),
            attention_mask=mask,
            position_ids=places,
            past_key_values=cache,
            use_cache=True,
            logits_to_keep=1,
        )
        at = torch.tensor([distinct.index(tuple(p)) for p in prompts], device=self.device)
        cache.batch_select_indices(at)
        make_roomy(cache)
        logits = out.logits[:, -1].float().cpu().numpy()[at.cpu().numpy()]
        return logits, cache, mask[at], (places[:, -1] + 1)[at]

    def _shared(self, ids: tuple[int, ...]) -> Any:
        """The cache of what all prompts begin with; kept for the next batch that begins alike."""
        from transformers import DynamicCache

        if not ids:
            return DynamicCache(config=self.model.config)
        if self._prefix[0] != ids:
            cache = DynamicCache(config=self.model.config)
            whole = self.torch.tensor([ids], device=self.device)
            self.model(input_ids=whole, past_key_values=cache, use_cache=True, logits_to_keep=1)
            self._prefix = (ids, cache)
        return copy.deepcopy(self._prefix[1])


class _Row:
    """One answer of a batch."""

    def __init__(
        self,
        index: int,
        request: Request,
        prompt: list[int],
        guide: Guide | None,
        error: str = "",
    ) -> None:
        self.index = index
        self.told = False
        self.seconds = 0.0
        """Its share of the time of the batch."""
        self.request, self.prompt, self.guide, self.error = request, prompt, guide, error
        self.rng = np.random.default_rng(request.sampling.seed)
        self.tokens: list[int] = []
        self.used = 0
        self.finish = "error" if error else ""
        self.start: np.ndarray | None = None
        self.slots: list[int] = []
        self.dropped: list[int] = []
        self.refusals = 0
        self.cut = -1

    @property
    def done(self) -> bool:
        return bool(self.finish)

    def fail(self, why: str) -> None:
        self.error, self.finish = why, "error"

    def follow(self, scores: np.ndarray, model: LocalModel) -> int:
        """``next``; whatever goes wrong there is the end of this answer alone."""
        try:
            return self.next(scores, model)
        except Exception as error:
            self.fail(_named(error))
            return 0

    def next(self, scores: np.ndarray, model: LocalModel) -> int:
        """The token to feed; what it returns when the answer has ended is fed and not looked at."""
        sampling = self.request.sampling
        if self.used >= sampling.max_tokens:
            self.finish = "length"
            return 0
        if self.guide is None:
            return self._free(scores, model)
        if self.guide.at_start:
            self.start = scores.copy()
            if self.used + self.guide.script.reserve >= sampling.max_tokens:
                self.guide.hurry()
        while True:
            heat = sampling.temperature + HOTTER * self.refusals
            try:
                token = draw(scores, self.rng, heat, sampling.top_p, self.guide.mask())
            except ValueError:
                self.finish = "length"
                return 0
            status = self.guide.push(token)
            if status == "end":
                self.used += 1
                self.finish = "length" if self.guide.gave_up else "stop"
                return token
            if status == "again":
                if token not in model.vocabulary.ends:
                    self.refusals += 1
                    self.used += 1
                self.dropped += self.slots
                self.slots = []
                assert self.start is not None
                scores = self.start
                continue
            self.used += 1
            if self.guide.at_start:
                self.slots, self.refusals = [], 0
            return token

    def _free(self, scores: np.ndarray, model: LocalModel) -> int:
        sampling = self.request.sampling
        token = draw(scores, self.rng, sampling.temperature, sampling.top_p)
        self.used += 1
        if token in model.ends:
            self.finish = "stop"
            return token
        self.tokens.append(token)
        if sampling.stop:
            text = model.tokenizer.decode(self.tokens)
            cuts = [at for word in sampling.stop if (at := text.find(word)) >= 0]
            if cuts:
                self.cut, self.finish = min(cuts), "stop"
        return token

    def fed(self, slot: int) -> None:
        """The last token now stands in that slot of the cache."""
        if self.guide is not None and not self.guide.at_start:
            self.slots.append(slot)

    def forget(self) -> list[int]:
        """Slots of refused tokens."""
        found, self.dropped = self.dropped, []
        return found

    def response(self, model: LocalModel) -> Response:
        if self.guide is not None:
            text = self.guide.text
        else:
            text = model.tokenizer.decode(self.tokens, skip_special_tokens=True)
            text = text if self.cut < 0 else text[: self.cut]
        return Response(
            "" if self.error else text,
            model.name,
            model.revision,
            len(self.prompt),
            self.used,
            self.seconds,
            self.finish or "length",
            self.error,
        )


def _named(error: Exception) -> str:
    line = " ".join(str(error).split())[:200]
    return line if isinstance(error, ValueError) and line else f"{type(error).__name__}: {line}"


def _common(prompts: list[tuple[int, ...]]) -> int:
    """How many tokens all prompts begin with, at least one less than the shortest has."""
    shortest = min(map(len, prompts)) - 1
    for i in range(shortest):
        if len({p[i] for p in prompts}) > 1:
            return i
    return max(shortest, 0)


def _without_system(messages: list[Message]) -> list[dict[str, str]]:
    """The conversation with the system message at the head of the first question."""
    system = "\n\n".join(m.content for m in messages if m.role == "system")
    turns = [dataclasses.asdict(m) for m in messages if m.role != "system"]
    if turns and system:
        turns[0]["content"] = f"{system}\n\n{turns[0]['content']}"
    return turns
