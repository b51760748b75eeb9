"""Writes the engine's tokenizer as a folder that transformers loads, without transformers."""

import json
from pathlib import Path

from k3_decode.engine.chat import CHAT_TEMPLATE
from k3_decode.engine.tokenizer import BOS, BYTES, EOS, PAD, SPECIAL_TOKENS, ByteTokenizer


def write_tokenizer(folder: Path, *, vocab_size: int, max_model_len: int) -> list[Path]:
    """Write ``tokenizer.json``, ``tokenizer_config.json`` and ``chat_template.jinja``.

    ``AutoTokenizer.from_pretrained(folder)`` then gives the same ids and the same text as `ByteTokenizer`.

    Args:
        folder: Created if missing; files of these names are replaced.
        vocab_size: Ids of the model.
        max_model_len: Longest sequence, in tokens.

    Returns:
        The files written.

    Raises:
        TokenizerError: The vocabulary is too small.

    Source:
        Hugging Face tokenizers' JSON format: a byte-pair model without merges over the byte alphabet.
    """
    tokenizer = ByteTokenizer(vocab_size)
    alphabet = _byte_alphabet()
    vocab = {alphabet[byte]: byte for byte in range(BYTES)}
    vocab |= {tokenizer.printable(token): token for token in range(BYTES, vocab_size)}
    added = [
        {
            "id": BYTES + index,
            "content": token,
            "special": True,
            "normalized": False,
            "single_word": False,
            "lstrip": False,
            "rstrip": False,
        }
        for index, token in enumerate(SPECIAL_TOKENS)
    ]
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    documents: dict[str, dict[str, object]] = {
        "tokenizer.json": {
            "version": "1.0",
            "truncation": None,
            "padding": None,
            "added_tokens": added,
            "normalizer": None,
            "pre_tokenizer": byte_level,
            "post_processor": None,
            "decoder": byte_level,
            "model": {
                "type": "BPE",
                "dropout": None,
                "unk_token": None,
                "continuing_subword_prefix": None,
                "end_of_word_suffix": None,
                "fuse_unk": False,
                "byte_fallback": False,
                "ignore_merges": False,
                "vocab": vocab,
                "merges": [],
            },
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": max_model_len,
            "clean_up_tokenization_spaces": False,
            "bos_token": BOS,
            "eos_token": EOS,
            "pad_token": PAD,
        },
    }
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, document in documents.items():
        written.append(folder / name)
        written[-1].write_text(json.dumps(document, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    written.append(folder / "chat_template.jinja")
    written[-1].write_text(CHAT_TEMPLATE, encoding="utf-8")
    return written


def _byte_alphabet() -> list[str]:
    """Return the character that stands for each byte in byte-level vocabularies.

    A printable Latin-1 byte is its own character; the others take the code points from 256 on, in order.
    """
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(BYTES, 2 * BYTES))
    return [chr(byte) if byte in printable else chr(next(others)) for byte in range(BYTES)]
