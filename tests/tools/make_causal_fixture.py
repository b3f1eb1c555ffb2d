#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/policy/fixtures/causal/*.safetensors: tiny random decoder-only models of Hugging Face and what they compute.

Needs torch 2, transformers 4.51 or later of 4 (glm4: also of 5), safetensors.
Usage: make_causal_fixture.py tests/policy/fixtures/causal [NAME..]   (all, or those that are named)
A file holds the model's weights under Hugging Face's names, its config.json as metadata, a linear layer `matrix.entry`, and
under `fixture.*` inputs and outputs. The model reads `inputs_embeds`: entries through that layer, a prompt and a program.
Rows differ in length; the script checks that the model computes the same with left, right and no padding.
"""
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import Glm4Config, Glm4ForCausalLM, LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM, Qwen3Config, Qwen3ForCausalLM

out = Path(sys.argv[1])
out.mkdir(parents=True, exist_ok=True)
COMMON = dict(vocab_size=24, hidden_size=8, intermediate_size=12, num_hidden_layers=2, num_attention_heads=4,
              num_key_value_heads=2, max_position_embeddings=64, attention_dropout=0.0)
ENTRIES, PROMPTS, TARGETS = [5, 1, 3], [2, 0, 4], [7, 1, 12]
POSITIONS = torch.tensor([0, 1, 7, 63, 4095, 4096, 5000, 20000, 100000])


def run(model, rows, side, dtype):
    """Logits of each row, from one batch padded on a side, or row by row."""
    if side == "none":
        return [model(inputs_embeds=row.unsqueeze(0)).logits[0] for row in rows]
    longest = max(len(row) for row in rows)
    embeds = torch.full((len(rows), longest, rows[0].shape[1]), 3.0, dtype=dtype)
    mask = torch.zeros(len(rows), longest, dtype=torch.long)
    places = []
    for i, row in enumerate(rows):
        place = slice(longest - len(row), longest) if side == "left" else slice(0, len(row))
        embeds[i, place] = row
        mask[i, place] = 1
        places.append(place)
    positions = (mask.cumsum(1) - 1).clamp_min(0)
    logits = model(inputs_embeds=embeds, attention_mask=mask, position_ids=positions).logits
    return [logits[i, place] for i, place in enumerate(places)]


def build(name, seed, kind, config_class, **extra):
    if sys.argv[2:] and name not in sys.argv[2:]:
        return
    torch.manual_seed(seed)
    config = config_class(**{**COMMON, **extra})
    config._attn_implementation = "eager"
    model = kind(config).eval()
    with torch.no_grad():  # small weights, norms of 1 and biases of 0 would hide mistakes
        for key, value in model.named_parameters():
            value.copy_(1.0 + 0.3 * torch.randn_like(value) if "norm" in key else 0.4 * torch.randn_like(value))
    weight, bias = torch.randn(8, 2) * 0.5, torch.randn(8) * 0.5
    entries = torch.randn(sum(ENTRIES), 2)
    prompts = torch.randint(0, 24, (sum(PROMPTS),))
    targets = torch.randint(0, 24, (sum(TARGETS),))

    def rows_of(model, dtype):
        words = model.get_input_embeddings()
        soft = (entries @ weight.T + bias).to(dtype)
        return [torch.cat([a, words(b), words(c[:-1])]) for a, b, c in
                zip(soft.split(ENTRIES), prompts.split(PROMPTS), targets.split(TARGETS))]

    def predicted(logits):  # the rows that predict tokens of the program
        return torch.cat([row[e + p - 1:] for row, e, p in zip(logits, ENTRIES, PROMPTS)])

    with torch.no_grad():
        results = {side: predicted(run(model, rows_of(model, torch.float32), side, torch.float32))
                   for side in ("none", "left", "right")}
    for side in ("left", "right"):
        assert torch.allclose(results[side], results["none"], atol=2e-6), (name, side)
    model.zero_grad()
    logits = predicted(run(model, rows_of(model, torch.float32), "none", torch.float32))
    torch.log_softmax(logits, -1).gather(1, targets.unsqueeze(1)).sum().backward()
    tensors = {key: value.detach().clone().contiguous() for key, value in model.state_dict().items()}
    if config.tie_word_embeddings:
        tensors.pop("lm_head.weight")
    for key, value in model.named_parameters():
        if key.endswith(("embed_tokens.weight", "0.self_attn.q_proj.weight", "1.self_attn.k_proj.bias", "1.mlp.up_proj.weight",
                         "1.mlp.gate_up_proj.weight", "0.post_self_attn_layernorm.weight", "1.post_mlp_layernorm.weight",
                         "0.self_attn.k_norm.weight", "0.input_layernorm.weight", "model.norm.weight", "lm_head.weight")):
            tensors["fixture.grad." + key] = value.grad.clone()
    cosine, sine = model.model.rotary_emb(torch.zeros(1), POSITIONS.unsqueeze(0))
    half = torch.bfloat16
    lowered = kind(config).eval()
    lowered.load_state_dict(model.state_dict())
    lowered = lowered.to(half)
    with torch.no_grad():
        tensors["fixture.logits_bf16"] = predicted(run(lowered, rows_of(lowered, half), "none", half)).float()
    width = cosine.shape[-1] // 2
    tensors |= {"matrix.entry.weight": weight, "matrix.entry.bias": bias, "fixture.entries": entries,
                "fixture.prompts": prompts, "fixture.targets": targets, "fixture.logits": results["none"],
                "fixture.positions": POSITIONS, "fixture.cosines": cosine[0, :, :width], "fixture.sines": sine[0, :, :width]}
    save_file({key: value.contiguous() for key, value in tensors.items()}, out / f"{name}.safetensors",
              metadata={"config": config.to_json_string(use_diff=False)})


LLAMA, QWEN2, QWEN3 = (LlamaForCausalLM, LlamaConfig), (Qwen2ForCausalLM, Qwen2Config), (Qwen3ForCausalLM, Qwen3Config)
build("llama", 1, *LLAMA, rms_norm_eps=1e-5)
build("llama_linear_tied", 2, *LLAMA, tie_word_embeddings=True, num_key_value_heads=4,
      rope_scaling={"type": "linear", "factor": 4.0})
build("llama3_biases", 3, *LLAMA, head_dim=6, attention_bias=True, mlp_bias=True, rope_theta=500000.0,
      rope_scaling={"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                    "original_max_position_embeddings": 32})
build("qwen2_tied", 4, *QWEN2, tie_word_embeddings=True, rope_theta=1000000.0)
build("qwen2_yarn", 5, *QWEN2, rope_scaling={"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16})
build("qwen3", 6, *QWEN3, head_dim=4, rope_theta=1000000.0)
build("qwen3_biases", 7, *QWEN3, head_dim=6, num_key_value_heads=1, attention_bias=True, tie_word_embeddings=True)
GLM4 = (Glm4ForCausalLM, Glm4Config)
build("glm4", 8, *GLM4, head_dim=8, pad_token_id=None, eos_token_id=None)
build("glm4_yarn", 9, *GLM4, head_dim=8, attention_bias=False, pad_token_id=None, eos_token_id=None,
      rope_scaling={"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16})
