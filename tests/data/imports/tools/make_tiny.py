"""Write a random Llama of 0.8 million parameters and a byte-level BPE tokenizer: ``make_tiny.py FOLDER``.

The tokenizer is trained on the standard library's sources, so its ids depend on the Python version.
"""

import glob
import os
import sys

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

target = sys.argv[1]
bpe = Tokenizer(models.BPE())
bpe.pre_tokenizer, bpe.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
special = ["<|bos|>", "<|eos|>", "<|pad|>"]
trainer = trainers.BpeTrainer(
    vocab_size=2048, special_tokens=special, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
)
bpe.train(sorted(glob.glob(os.path.dirname(os.__file__) + "/*.py"))[:60], trainer)
PreTrainedTokenizerFast(
    tokenizer_object=bpe, bos_token="<|bos|>", eos_token="<|eos|>", pad_token="<|pad|>"
).save_pretrained(target)
torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=2048, hidden_size=128, intermediate_size=256, num_hidden_layers=2, num_attention_heads=4,
    num_key_value_heads=2, head_dim=32, max_position_embeddings=4096, bos_token_id=0, eos_token_id=1, pad_token_id=2,
    tie_word_embeddings=False,
)  # fmt: skip
LlamaForCausalLM(config).to(torch.bfloat16).save_pretrained(target)
