#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/policy/fixtures/codet5: tiny random models shaped like CodeT5, in Hugging Face's files, and what they compute.

Needs torch, transformers 4, tokenizers, safetensors. Usage: make_codet5_fixture.py tests/policy/fixtures/codet5
`tied`: T5 v1.0 as CodeT5 is (relu, head tied to the embedding), fp32, one file, tokenizer.json.
`own_head`: T5 v1.1 (gated gelu, a head of its own), bf16 in shards with an index, vocab.json and merges.txt.
Each `expected.safetensors` has ids of the encoder (rows of different length), targets, and the logits and
log-probabilities at fp32; `encoded.json` has texts with the tokens that both tokenizers give them, names of special
tokens being text.
"""
import json
import random
import shutil
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import ByteLevelBPETokenizer
from transformers import RobertaTokenizerFast, T5Config, T5ForConditionalGeneration

out = Path(sys.argv[1])
shutil.rmtree(out, ignore_errors=True)

CODE = """extern "C" __global__ void spmv(int rows, const int* __restrict__ row_ptr, const float* __restrict__ val, float* y)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0.0f;
    for (int k = row_ptr[row]; k < row_ptr[row + 1]; ++k)
        sum += val[k];
    y[row] = sum;
}
"""
STRINGS = [
    "", " ", "a", "\n", "\r\n\r\n  x", "it's we'll they've I'd don't I'm you're 'S 'll", "  two  spaces\t\ttab \n\n\nlines   ",
    "x=1234567890;y=0x1F;", "\u00e9t\u00e9 na\u00efve \u4f60\u597d \u0395\u03bb\u03bb\u03ac\u03b4\u03b1 \u0661\u0662\u0663 \u00bd",
    "\U0001F600 emoji\u200d\u00a0nbsp\u3000wide", "trailing space ", " leading", "a\u2028b\u0085c", CODE,
    "//! launch spmv<<<ceil_div(rows,4), 128>>>(rows, csr.row_ptr, csr.val, y)\n",
    "template<s> vector<unk> </s> <pad><mask> <extra_id_0> tail", "<s>", "# include <cuda_fp16.h>\n#define A(x) x##_\n",
]
random.seed(5)
ALPHABET = "ab 1\n\t\r'_(){}<>;=+*.# \u00e9\u4f60\u0661\u00a0s"
STRINGS += ["".join(random.choice(ALPHABET) for _ in range(random.randint(1, 40))) for _ in range(90)]
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>", "<mask>"]


def tokenizer(folder):
    """As CodeT5's train_tokenizer.py makes it and transformers saves it."""
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator([CODE] * 3, vocab_size=310, min_frequency=2, special_tokens=SPECIAL, show_progress=False)
    folder.mkdir(parents=True)
    bpe.save_model(str(folder))
    fast = RobertaTokenizerFast(str(folder / "vocab.json"), str(folder / "merges.txt"), add_prefix_space=False,
                                cls_token="<s>", sep_token="</s>",
                                additional_special_tokens=[f"<extra_id_{i}>" for i in reversed(range(3))])
    fast.save_pretrained(folder)
    fast.backend_tokenizer.encode_special_tokens = True
    encoded = [{"text": s, "ids": fast.backend_tokenizer.encode(s, add_special_tokens=False).ids} for s in STRINGS]
    (out / "encoded.json").write_text(json.dumps(encoded))
    return len(fast)


def model(name, seed, rows_behind, dtype, **extra):
    folder = out / name
    vocabulary = tokenizer(folder) + rows_behind
    torch.manual_seed(seed)
    config = T5Config(vocab_size=vocabulary, d_model=8, d_kv=6, d_ff=12, num_layers=2, num_decoder_layers=2, num_heads=2,
                      relative_attention_num_buckets=8, relative_attention_max_distance=12, dropout_rate=0.1,
                      bos_token_id=1, decoder_start_token_id=0, pad_token_id=0, eos_token_id=2, **extra)
    network = T5ForConditionalGeneration(config).eval()
    with torch.no_grad():  # norms of 1 and untrained biases would hide mistakes
        for key, value in network.named_parameters():
            if "layer_norm" in key:
                value.copy_(1.0 + 0.3 * torch.randn_like(value))
            if "relative_attention_bias" in key:
                value.copy_(torch.randn_like(value))
            if "shared" in key:
                value.mul_(3.0)
    network = network.to(dtype)
    shards = {} if dtype == torch.float32 else {"max_shard_size": "9KB"}
    network.save_pretrained(folder, safe_serialization=True, **shards)
    network = network.float()
    lengths = [13, 6, 1]
    ids, mask = torch.randint(3, vocabulary, (3, 13)), torch.zeros(3, 13, dtype=torch.long)
    for row, length in enumerate(lengths):
        mask[row, :length] = 1
    targets = torch.randint(3, vocabulary - rows_behind, (3, 11))
    ids.clamp_(max=vocabulary - rows_behind - 1)
    shifted = torch.cat([torch.zeros(3, 1, dtype=torch.long), targets[:, :-1]], 1)
    with torch.no_grad():
        logits = network(input_ids=ids, attention_mask=mask, decoder_input_ids=shifted).logits
    logits = logits[..., :vocabulary - rows_behind].contiguous()  # of ids that some token has
    logp = torch.log_softmax(logits, -1).gather(-1, targets.unsqueeze(-1)).squeeze(-1).contiguous()
    save_file({"ids": ids, "lengths": torch.tensor(lengths), "targets": targets,
               "logits": logits[:, ::5].contiguous(), "logp": logp}, folder / "expected.safetensors")
    for left_over in ("generation_config.json",):
        (folder / left_over).unlink(missing_ok=True)
    return folder


tied = model("tied", 1, 0, torch.float32)
for one in ("vocab.json", "merges.txt", "added_tokens.json", "special_tokens_map.json", "tokenizer_config.json"):
    (tied / one).unlink(missing_ok=True)
# Rows without a token, as models have whose vocabulary was rounded up.
own = model("own_head", 2, 5, torch.bfloat16, feed_forward_proj="gated-gelu", tie_word_embeddings=False)
(own / "tokenizer.json").unlink()
for file in out.rglob("*"):
    file.chmod(0o755 if file.is_dir() else 0o644)
