"""A model in memory, and batches of answers from it. Runs in the worker; torch is imported here."""

from __future__ import annotations

import dataclasses
import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from spade_jax.generator.llm.backends.local_answer import Answer, named
from spade_jax.generator.llm.decoding.guide import Guide, Vocabulary
from spade_jax.generator.llm.decoding.script import Script
from spade_jax.generator.llm.decoding.scripts import script_for
from spade_jax.generator.llm.messages import Message, Request, Response
from spade_jax.generator.llm.tuning.weights import adapted

__all__ = ["LocalModel"]

SYSTEM = "You design small games for an agent to learn from, in the language that you are shown."
"""Said where a conversation has no system message: some models put in one of their own."""


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

        from spade_jax.generator.llm.backends.prefill import Prefill

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
        self.prefill = Prefill(self.model, device)

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

    def complete(
        self,
        requests: Sequence[Request],
        tell: Callable[[int, Response], None],
        dropped: Callable[[], bool] = lambda: False,
    ) -> None:
        """Tell one response a request, with its index, as soon as it is there.

        The requests are one batch, and none depends on another: where one fails, the others go on;
        where the model cannot take them together, each is tried alone. Once ``dropped()``, which is
        asked at every token, those that are being written fail.
        """
        answers = [self._answer(i, request) for i, request in enumerate(requests)]
        self._tell(answers, tell)
        with self.torch.inference_mode():
            self._try([answer for answer in answers if not answer.done], tell, dropped)

    def _try(
        self,
        answers: list[Answer],
        tell: Callable[[int, Response], None],
        dropped: Callable[[], bool],
    ) -> None:
        why = self._failure(answers, tell, dropped) if answers else ""
        if not why:
            return
        self.prefill.forget()
        rest = [answer for answer in answers if not answer.told]
        if len(answers) > 1:
            for answer in rest:
                self._try([self._answer(answer.index, answer.request)], tell, dropped)
        for answer in rest if len(answers) == 1 else []:
            answer.fail(why)
            self._tell([answer], tell)

    def _failure(
        self,
        answers: list[Answer],
        tell: Callable[[int, Response], None],
        dropped: Callable[[], bool],
    ) -> str:
        """Answer; why that came to an end before all were answered, or ""."""
        try:
            self._run(answers, tell, dropped)
        except Exception as error:  # libraries raise what they like, memory runs out
            return named(error)
        return ""

    def _script(self, request: Request) -> Script | None:
        if self.constrain == "off":
            return None
        return script_for(request.shape, names=self.constrain == "lines")

    def _answer(self, index: int, request: Request) -> Answer:
        try:
            script = self._script(request)
            guide = Guide(self.vocabulary, script) if script is not None else None
            ids = self.prompt(request)
        except Exception as error:  # of a template, a tokenizer, a grammar
            return Answer(index, request, [], None, error=named(error))
        if len(ids) + request.sampling.max_tokens > self.window:
            what = (
                f"the prompt has {len(ids)} tokens, the answer may have "
                f"{request.sampling.max_tokens}, and the model takes {self.window} in all"
            )
            return Answer(index, request, ids, None, error=what)
        ends = self.ends if guide is None else self.vocabulary.ends
        return Answer(index, request, ids, guide, ends=ends, decode=self._text)

    def _text(self, tokens: list[int]) -> str:
        return str(self.tokenizer.decode(tokens, skip_special_tokens=True))

    def _tell(self, answers: list[Answer], tell: Callable[[int, Response], None]) -> None:
        """Tell of those that are done."""
        for a in answers:
            if a.done:
                a.told = True
                who = (self.name, self.revision, len(a.prompt), a.used, a.seconds)
                tell(a.index, Response(a.text, *who, a.finish, a.error))

    # --- decoding -------------------------------------------------------------------------------

    def _run(
        self,
        answers: list[Answer],
        tell: Callable[[int, Response], None],
        dropped: Callable[[], bool],
    ) -> None:
        torch = self.torch
        start = time.perf_counter()
        if self._given_up(answers, tell, dropped):
            return
        begun = self.prefill([answer.prompt for answer in answers])
        logits, cache, mask, places = begun.logits, begun.cache, begun.mask, begun.places
        while True:
            tokens = [answer.follow(scores) for answer, scores in zip(answers, logits)]
            refused = [answer.forget() for answer in answers]
            now = time.perf_counter()
            for answer in answers:
                answer.seconds += (now - start) / len(answers)
            start = now
            if self._given_up(answers, tell, dropped):
                return
            self._tell(answers, tell)
            going = [i for i, answer in enumerate(answers) if not answer.done]
            if not going:
                return
            if len(going) < len(answers):
                at = torch.tensor(going, device=self.device)
                cache.batch_select_indices(at)
                mask, places = mask[at], places[at]
                answers = [answers[i] for i in going]
                tokens, refused = [tokens[i] for i in going], [refused[i] for i in going]
            for i, slots in enumerate(refused):
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
            for answer in answers:
                answer.fed(mask.shape[1] - 1)
            places = places + 1
            logits = out.logits[:, -1].float().cpu().numpy()

    def _given_up(
        self,
        answers: list[Answer],
        tell: Callable[[int, Response], None],
        dropped: Callable[[], bool],
    ) -> bool:
        """Whether nobody waits any more: what is not whole by now has failed."""
        if not dropped():
            return False
        for answer in answers:
            if not answer.done:
                answer.fail("given up")
        self._tell(answers, tell)
        return True


def _without_system(messages: list[Message]) -> list[dict[str, str]]:
    """The conversation with the system message at the head of the first question."""
    system = "\n\n".join(m.content for m in messages if m.role == "system")
    turns = [dataclasses.asdict(m) for m in messages if m.role != "system"]
    if turns and system:
        turns[0]["content"] = f"{system}\n\n{turns[0]['content']}"
    return turns
