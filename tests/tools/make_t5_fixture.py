#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes tests/policy/fixtures/t5_*.safetensors: tiny random T5 models of Hugging Face and what they compute.

Needs torch, transformers 4, numpy, safetensors. Usage: make_t5_fixture.py tests/policy/fixtures
Each file holds the model's weights under Hugging Face's names and, under `fixture.*`, inputs and outputs. The encoder
reads `inputs_embeds` with an attention mask; rows of different length check that padding has no influence.
"""
import sys
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import T5Config, T5ForConditionalGeneration
from transformers.models.t5.modeling_t5 import T5Attention

out = Path(sys.argv[1])


def build(name, seed, **extra):
    torch.manual_seed(seed)
    config = T5Config(vocab_size=37, d_model=24, d_kv=8, d_ff=40, num_layers=2, num_decoder_layers=3, num_heads=2,
                      relative_attention_num_buckets=8, relative_attention_max_distance=12, dropout_rate=0.0,
                      decoder_start_token_id=0, pad_token_id=0, eos_token_id=2, **extra)
    model = T5ForConditionalGeneration(config).eval()
    with torch.no_grad():  # norms of 1 and untrained biases would hide mistakes
        for key, value in model.named_parameters():
            if "layer_norm" in key:
                value.copy_(1.0 + 0.3 * torch.randn_like(value))
            if "relative_attention_bias" in key:
                value.copy_(torch.randn_like(value))
    lengths = [19, 7, 1]
    embeds = torch.randn(3, 19, 24)
    mask = torch.zeros(3, 19, dtype=torch.long)
    for row, length in enumerate(lengths):
        mask[row, :length] = 1
    targets = torch.randint(3, 37, (3, 17))
    ids = torch.cat([torch.zeros(3, 1, dtype=torch.long), targets[:, :-1]], 1)
    with torch.no_grad():
        result = model(inputs_embeds=embeds, attention_mask=mask, decoder_input_ids=ids)
    loss_model = model.train()
    result_grad = loss_model(inputs_embeds=embeds, attention_mask=mask, decoder_input_ids=ids)
    logp = torch.log_softmax(result_grad.logits.float(), -1)
    picked = logp.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    picked.sum().backward()
    grad = dict(loss_model.named_parameters())
    tensors = {key: value.detach().clone().contiguous() for key, value in model.state_dict().items()
               if key not in ("encoder.embed_tokens.weight", "decoder.embed_tokens.weight")}
    if config.tie_word_embeddings:
        tensors.pop("lm_head.weight", None)
    tensors["fixture.embeds"] = embeds
    tensors["fixture.lengths"] = torch.tensor(lengths, dtype=torch.long)
    tensors["fixture.targets"] = targets
    tensors["fixture.encoder"] = result.encoder_last_hidden_state.detach()
    tensors["fixture.logits"] = result.logits.detach()
    tensors["fixture.logp"] = picked.detach()
    for key in ("shared.weight", "encoder.block.1.layer.0.SelfAttention.k.weight",
                "decoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                "encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight",
                "decoder.block.2.layer.1.EncDecAttention.v.weight", "decoder.block.1.layer.1.layer_norm.weight",
                "encoder.final_layer_norm.weight"):
        tensors["fixture.grad." + key] = grad[key].grad.clone()
    save_file({k: v.contiguous() for k, v in tensors.items()}, out / f"t5_{name}.safetensors")


build("relu", 1)
build("gated", 2, feed_forward_proj="gated-gelu", tie_word_embeddings=False)

# Buckets of relative positions at T5's own settings.
positions = torch.arange(-300, 301)
save_file({"both": T5Attention._relative_position_bucket(positions, True, 32, 128),
           "causal": T5Attention._relative_position_bucket(positions, False, 32, 128)},
          out / "t5_buckets.safetensors")
