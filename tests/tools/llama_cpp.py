# SPDX-License-Identifier: Apache-2.0
"""llama.cpp as the package `xllamacpp` has it (PyPI), with `gguf` for its files: what make_smollm2_fixture.py and
compare_llama_cpp.py compare with."""
import json
import urllib.request

import gguf
import numpy
import xllamacpp
from gguf.quants import dequantize


def write_as_fp32(source, target):
    """The same model with every tensor as the fp32 that it stands for."""
    reader = gguf.GGUFReader(source)
    writer = gguf.GGUFWriter(target, reader.fields["general.architecture"].contents())
    for key, field in reader.fields.items():
        if key.startswith("GGUF.") or key == "general.architecture":
            continue
        if field.types[0] == gguf.GGUFValueType.ARRAY:
            writer.add_array(key, field.contents())
        else:
            writer.add_key_value(key, 0 if key == "general.file_type" else field.contents(), field.types[0])
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


class Server:
    """A model in this process, computing in fp32 where its weights are. It answers `places` requests at a time. `adapter` is
    a GGUF file with adapters."""

    def __init__(self, path, threads=1, places=1, adapter=None):
        params = xllamacpp.CommonParams()
        if adapter is not None:
            params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
        params.model.path = str(path)
        params.n_ctx, params.n_parallel, params.warmup, params.verbosity = max(2048, 512 * places), places, False, 0
        params.cache_type_k = params.cache_type_v = xllamacpp.ggml_type.GGML_TYPE_F32
        params.flash_attn_type = xllamacpp.llama_flash_attn_type.LLAMA_FLASH_ATTN_TYPE_DISABLED
        params.cpuparams.n_threads = threads
        self.server = xllamacpp.Server(params)

    def post(self, path, body):
        request = urllib.request.Request(self.server.listening_address + path, json.dumps(body).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    def tokens(self, text, names=False):
        """With what the model's files put in front; names of special tokens are those tokens where asked for."""
        return self.post("/tokenize", {"content": text, "add_special": True, "parse_special": names})["tokens"]

    def greedy(self, prompt, count):
        """Up to `count` tokens after those of a prompt, each with its log-probability and the next best one's."""
        answer = self.post("/completion", {"prompt": prompt, "n_predict": count, "temperature": 0, "top_k": 1, "n_probs": 2,
                                           "samplers": ["temperature"], "repeat_penalty": 1.0, "cache_prompt": False})
        steps = answer["completion_probabilities"]
        return ([step["id"] for step in steps], [step["logprob"] for step in steps],
                [step["top_logprobs"][1]["logprob"] for step in steps])
