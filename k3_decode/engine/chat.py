"""The chat template: how a conversation becomes one prompt.

``<|bos|>``, then ``<|role|>`` content ``<|eos|>`` for each message, then ``<|assistant|>``.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from k3_decode.engine.tokenizer import ASSISTANT, EOS, ByteTokenizer

Role = Literal["system", "user", "assistant"]

CHAT_TEMPLATE = (
    "<|bos|>{% for message in messages %}<|{{ message.role }}|>{{ message.content }}<|eos|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
"""The same template in Jinja, for clients that render prompts themselves."""

CHAT_TEMPLATE_DIGEST = hashlib.sha256(CHAT_TEMPLATE.encode()).hexdigest()


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


def render_chat(
    messages: Sequence[Message], tokenizer: ByteTokenizer, *, add_generation_prompt: bool = True
) -> list[int]:
    """Render a conversation to token ids.

    Equal to encoding what `CHAT_TEMPLATE` renders, except that a special token spelled inside a message stays plain
    text: a user cannot close a turn.
    """
    ids = [tokenizer.bos_id]
    for message in messages:
        ids.append(tokenizer.special_id(f"<|{message.role}|>"))
        ids += tokenizer.encode(message.content, special=False)
        ids.append(tokenizer.special_id(EOS))
    if add_generation_prompt:
        ids.append(tokenizer.special_id(ASSISTANT))
    return ids
