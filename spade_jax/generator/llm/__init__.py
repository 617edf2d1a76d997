"""Language models as generators: prompts, back ends, and what turns an answer into a program."""

from spade_jax.generator.llm.messages import Backend, Message, Request, Response, Sampling

__all__ = ["Backend", "Message", "Request", "Response", "Sampling"]
