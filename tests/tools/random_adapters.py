# SPDX-License-Identifier: Apache-2.0
"""Random adapters in PEFT's format, for scripts that compare what other programs make of them."""
import json

import numpy


def layers_of(config):
    """Three layers of each block by their names, with outputs and inputs, of a model with this config.json."""
    width, inner = config["hidden_size"], config["intermediate_size"]
    head = config.get("head_dim") or width // config["num_attention_heads"]
    return {"self_attn.q_proj": (config["num_attention_heads"] * head, width), "mlp.up_proj": (inner, width),
            "mlp.down_proj": (width, inner)}


def write(folder, config, rank=8, alpha=16, stabilised=False):
    """adapter_config.json and adapter_model.safetensors for a model with this config.json."""
    draw = numpy.random.default_rng(5)
    tensors = {}
    for layer in range(config["num_hidden_layers"]):
        for name, (outputs, inputs) in layers_of(config).items():
            begin = f"base_model.model.model.layers.{layer}.{name}."
            tensors[begin + "lora_A.weight"] = draw.uniform(-1, 1, (rank, inputs)) / inputs ** 0.5
            tensors[begin + "lora_B.weight"] = draw.normal(0, 0.02, (outputs, rank))
    header, data = {}, b""
    for name, values in tensors.items():
        values = values.astype("<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensors[name].shape), "data_offsets": [len(data), len(data) + len(values)]}
        data += values
    text = json.dumps(header).encode()
    folder.mkdir()
    (folder / "adapter_model.safetensors").write_bytes(len(text).to_bytes(8, "little") + text + data)
    (folder / "adapter_config.json").write_text(json.dumps({
        "peft_type": "LORA", "task_type": "CAUSAL_LM", "r": rank, "lora_alpha": alpha, "bias": "none", "use_rslora": stabilised,
        "target_modules": [name.split(".")[1] for name in layers_of(config)]}))
