# SPDX-License-Identifier: Apache-2.0
"""Records a task in KernelBench's form (Model, get_inputs, get_init_inputs) as graphs of calls of ATen's operators.

This text is part of the program (core/operator/CMakeLists.txt) and is run by the user's Python in a locked process that
reads nothing but libraries and writes nothing but what it says; a call of main() with the task is appended. The same text
works with PyTorch 1.13 and 2.x. What it says is read as text of a stranger, for the task runs in the same process: lines
of JSON, each followed by as many bytes as it announces (docs/formats.md 8).
"""
import ast
import base64
import inspect
import json
import math
import os
import struct
import sys
import time
import types

OUTPUT = os.dup(1)  # What the task prints goes nowhere.
os.dup2(os.open(os.devnull, os.O_WRONLY) if os.access(os.devnull, os.W_OK) else 2, 1)

try:
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
except Exception as error:  # Also an OSError of a library that is missing.
    os.write(OUTPUT, json.dumps({"no_torch": f"{type(error).__name__}: {error}"[:300]}).encode() + b"\n")
    os._exit(0)

TYPES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64",
         torch.int32: "I32", torch.uint8: "U8", torch.bool: "BOOL"}
FACTORIES = ("rand", "randn", "randint", "randperm")
VIEWS = ("alias", "detach", "expand", "lift_fresh", "permute", "select", "slice", "squeeze", "t", "transpose", "unsqueeze", "view")
DIVISORS = (64, 32, 16, 8, 4, 2, 1, -64, -16)  # Below zero: the batch is a number like the others.
LEAST, FLOOR = 64, 16  # Constants from LEAST up are divided, to FLOOR at least.
SLOW = 2.0  # Seconds of one call from which only one odd size is made.


def short(function):
    return function._schema.name.split("::")[1]


def draws(function):
    return torch.Tag.nondeterministic_seeded in getattr(function, "tags", ()) or short(function) in FACTORIES


def storage_of(tensor):
    return tensor.untyped_storage()._cdata if hasattr(tensor, "untyped_storage") else tensor.storage()._cdata


def fill_of(name, args):
    """The fill that a call of a factory or of a filling operator is, or None. `args` are without tensors."""
    numbers = [x for x in args if isinstance(x, (int, float)) and not isinstance(x, bool)]
    if not all(math.isfinite(x) for x in numbers):
        return None
    if name in ("zeros", "zero_"):
        return {"constant": 0}
    if name == "ones":
        return {"constant": 1}
    if name in ("fill_", "full") and len(numbers) == 1:
        return {"constant": numbers[0]}
    if name == "rand":
        return {"uniform": [0, 1]}
    if name == "uniform_":
        return {"uniform": (numbers + [0, 1][len(numbers):])[:2]}
    if name == "randn":
        return {"normal": [0, 1]}
    if name == "normal_":
        return {"normal": (numbers + [0, 1][len(numbers):])[:2]}
    if name == "randint" and 1 <= len(numbers) <= 2:
        return {"integers": ([0] + numbers)[-2:]}
    return None


class FillWatch(TorchDispatchMode):
    """Notes of each storage the last call that wrote into it."""

    def __init__(self):
        super().__init__()
        self.last, self.keep = {}, []

    def __torch_dispatch__(self, function, kinds, args=(), kwargs=None):
        out = function(*args, **(kwargs or {}))
        name = short(function)
        for tensor in out if isinstance(out, (list, tuple)) else (out,):
            if isinstance(tensor, torch.Tensor) and name not in VIEWS:
                self.keep.append(tensor)  # So that no other tensor gets this storage.
                known = fill_of(name, [x for x in args if not isinstance(x, (torch.Tensor, list, tuple))])
                self.last[storage_of(tensor)] = known, tensor.numel()
        return out

    def fill(self, tensor):
        known, count = self.last.get(storage_of(tensor), (None, 0))
        return known if count == tensor.numel() else None


class Recorder(TorchDispatchMode):
    """Writes down every call below autograd, with tensors by identity."""

    def __init__(self):
        super().__init__()
        self.values, self.nodes, self.constants, self.random, self.numbers, self.keep = [], [], [], [], {}, []

    def value(self, tensor):
        if tensor.dtype not in TYPES or tensor.layout is not torch.strided:
            raise TypeError(f"a tensor of type {tensor.dtype} and layout {tensor.layout} is not supported")
        self.numbers[id(tensor)] = number = len(self.values)
        self.keep.append(tensor)
        strides = [] if tensor.is_contiguous() else [list(tensor.stride())]
        self.values.append([TYPES[tensor.dtype], list(tensor.shape)] + strides)
        return number

    def known(self, tensor):
        if id(tensor) not in self.numbers:  # Made outside the graph.
            self.constants.append((self.value(tensor), tensor.detach().clone()))
        return self.numbers[id(tensor)]

    def argument(self, given):
        if isinstance(given, torch.Tensor):
            return {"v": self.known(given)}
        if isinstance(given, (list, tuple)):
            return [self.argument(x) for x in given]
        if given is None or isinstance(given, (bool, int, str)):
            return given
        if isinstance(given, float):
            return given if math.isfinite(given) else {"f": str(given)}
        for key in ("dtype", "device", "layout", "memory_format"):
            if isinstance(given, getattr(torch, key)):
                return {key: str(given).replace("torch.", "")}
        raise TypeError(f"an argument of type {type(given).__name__} cannot be written")

    def results(self, out):
        if isinstance(out, torch.Tensor):
            return [self.numbers[id(out)] if id(out) in self.numbers else self.value(out)]
        if isinstance(out, (list, tuple)):
            return [number for one in out for number in self.results(one)]
        if out is None:
            return [None]
        raise TypeError(f"the operator returned a {type(out).__name__}: the graph would hold for these inputs only")

    def __torch_dispatch__(self, function, kinds, args=(), kwargs=None):
        kwargs = kwargs or {}
        name, overload = function._schema.name, function._schema.overload_name
        arguments, named = self.argument(args), {key: self.argument(x) for key, x in kwargs.items()}
        out = function(*args, **kwargs)
        if draws(function) and "'v':" not in str(arguments):  # Random numbers that the task makes are an input.
            fill = fill_of(short(function), [x for x in args if not isinstance(x, (list, tuple))])
            self.random.append((self.value(out), out.clone(), fill))
            return out
        if name == "aten::_reshape_alias":  # `view` compares the shape with the memory.
            name, arguments = "aten::view", arguments[:2]
        node = {"op": name, "arguments": arguments, "outputs": self.results(out)}
        if overload:
            node["overload"] = overload
        if named:
            node["named"] = named
        self.nodes.append(node)
        return out


def flat(out, name="out"):
    if isinstance(out, torch.Tensor):
        return [(name, out)]
    if isinstance(out, dict):
        return [pair for key, one in out.items() for pair in flat(one, f"{name}.{key}")]
    if isinstance(out, (list, tuple)):
        return [pair for place, one in enumerate(out) for pair in flat(one, f"{name}.{place}")]
    if out is None:
        return []
    raise TypeError(f"the task returns a {type(out).__name__}, which is no tensor")


def tensors_of(given, name):
    """Tensors of an argument of `forward`: itself, or what a list holds; None: it is something else."""
    if isinstance(given, torch.Tensor):
        return [(name, given)]
    if isinstance(given, (list, tuple)) and given and all(isinstance(x, torch.Tensor) for x in given):
        return [(f"{name}.{place}", x) for place, x in enumerate(given)]
    return None


def record(model, inputs, watch):
    """One call of the model as a graph, and the tensors that belong to it by name."""
    recorder, graph, tensors = Recorder(), {"format": 1, "inputs": [], "weights": []}, {}
    names = list(inspect.signature(model.forward).parameters)
    names += [f"arg{place}" for place in range(len(names), len(inputs))]

    def entry(name, tensor, number=None, fill=None, **more):
        tensors[name] = tensor.detach().clone()
        found = fill or (watch.fill(tensor) if watch else None)
        return {"name": name, "value": recorder.value(tensor) if number is None else number, **more,
                **({"fill": found} if found else {})}

    for name, given in zip(names, inputs):
        parts = tensors_of(given, name)
        if parts is None:
            graph["inputs"].append({"name": name, "baked": repr(given)[:200]})
        else:
            graph["inputs"] += [entry(part, tensor) for part, tensor in parts]
    for kind, all_of_it in (("parameter", model.named_parameters()), ("buffer", model.named_buffers())):
        graph["weights"] += [entry(name, tensor, kind=kind) for name, tensor in all_of_it]
    with torch.no_grad(), recorder:
        out = model(*inputs)
    results = [(name, recorder.known(tensor)) for name, tensor in flat(out)]
    for number, tensor in recorder.constants:
        graph["weights"].append(entry(f"constant.{number}", tensor, number, kind="constant"))
    for number, tensor, fill in recorder.random:
        graph["inputs"].append(entry(f"random.{number}", tensor, number, fill))
    graph["outputs"] = [{"name": name, "value": number} for name, number in results]
    graph["values"], graph["nodes"] = recorder.values, recorder.nodes
    return graph, tensors, out


class Scale(ast.NodeTransformer):
    """Divides the whole numbers that a module names at its top level."""

    def __init__(self, divisor, more):
        self.divisor, self.more, self.count = abs(divisor), more, 0
        self.small_batch, self.batch = divisor > 0, False

    def visit_Constant(self, node):
        old = node.value
        if type(old) is not int or not (old >= LEAST or self.batch and old > 4):
            return node
        new = 2 if self.batch else max(FLOOR, old // self.divisor) if self.divisor > 1 else old
        new += self.more.get(self.count, 0)
        self.count += 1
        return ast.copy_location(ast.Constant(new), node)

    def module(self, tree):
        for statement in tree.body:
            if isinstance(statement, ast.Assign):
                words = " ".join(ast.unparse(target) for target in statement.targets).lower()
                self.batch = self.small_batch and "batch" in words
                statement.value = self.visit(statement.value)
        return ast.fix_missing_locations(tree)


def load(text, name, divisor, more):
    """The task's module at a size, and how many numbers were scaled. Divisor 0: as it stands."""
    scale = Scale(divisor, more)
    tree = ast.parse(text)
    if divisor:
        tree = scale.module(tree)
    module = types.ModuleType("task")
    sys.modules["task"] = module
    exec(compile(tree, name, "exec"), module.__dict__)
    for wanted in ("Model", "get_inputs"):
        if not hasattr(module, wanted):
            raise TypeError(f"the task has no {wanted}")
    return module, scale.count


def build(module, mode, watch=None):
    torch.manual_seed(0)
    arguments = list(module.get_init_inputs()) if hasattr(module, "get_init_inputs") else []
    with watch or FillWatch():
        if len(arguments) == 2 and isinstance(arguments[0], list) and isinstance(arguments[1], dict):
            model = module.Model(*arguments[0], **arguments[1])
        else:
            model = module.Model(*arguments)
        torch.manual_seed(1)
        inputs = list(module.get_inputs())
    return model.train(mode == "train"), inputs


def attempt(text, name, mode, divisor, more):
    module, count = load(text, name, divisor, more)
    model, inputs = build(module, mode)
    start = time.time()
    with torch.no_grad():
        flat(model(*inputs))
    return count, time.time() - start


def sizes(text, name, mode):
    """(label, divisor, additions) of up to three sizes: the smallest that runs, and two with odd constants."""
    problem = None
    for divisor in DIVISORS:
        try:
            count, seconds = attempt(text, name, mode, divisor, {})
            break
        except Exception as error:
            problem = problem or error
    else:
        raise problem
    yield "base", divisor, {}
    for label, delta in (("odd1", 1), ("odd3", 3)):
        def works(more):
            try:
                attempt(text, name, mode, divisor, more)
                return True
            except Exception:
                return False
        more = {place: delta for place in range(count)}
        if not count or seconds > SLOW and delta > 1:
            continue
        if not works(more):
            more = {}
            for place in range(min(count, 12)) if seconds < SLOW else ():
                if works({**more, place: delta}):
                    more[place] = delta
        if more:
            yield label, divisor, more


def safetensors(tensors):
    head, data, at = {}, [], 0
    for name, tensor in tensors.items():
        tensor = tensor.contiguous()
        plain = tensor.view(torch.int16) if tensor.dtype is torch.bfloat16 and tensor.dim() else tensor
        if plain.dtype is torch.bfloat16:
            plain = plain.reshape(1).view(torch.int16)
        bytes_of_it = plain.numpy().tobytes()
        head[name] = {"dtype": TYPES[tensor.dtype], "shape": list(tensor.shape), "data_offsets": [at, at + len(bytes_of_it)]}
        at += len(bytes_of_it)
        data.append(bytes_of_it)
    text = json.dumps(head).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([struct.pack("<Q", len(text)), text, *data])


def say(line, *parts):
    for part in (json.dumps(line).encode() + b"\n", *parts):
        at = 0
        while at < len(part):
            at += os.write(OUTPUT, part[at:at + (1 << 20)])


def record_size(options, label, divisor, more):
    text, name, mode = options["text"], options["name"], options["mode"]
    module, _ = load(text, name, divisor, more)
    watch = FillWatch()
    model, inputs = build(module, mode, watch)
    state = {key: tensor.clone() for key, tensor in model.state_dict().items()}
    graph, tensors, out = record(model, inputs, watch)
    expected = {key: tensor.detach().clone() for key, tensor in flat(out)}
    # A second time with other inputs: what differs depends on them, or left the graph.
    model.load_state_dict(state)
    torch.manual_seed(77)
    other, others, _ = record(model, list(module.get_inputs()), None)
    same = graph["nodes"] == other["nodes"] and graph["values"] == other["values"] and all(
        torch.equal(tensor, others.get(key)) for key, tensor in tensors.items() if key.startswith("constant."))
    graph.update(name=name, size=label, mode=mode, recorder=f"torch {torch.__version__}")
    if not same:
        graph["depends_on_values"] = True
    filled = {entry["name"] for entry in graph["inputs"] + graph["weights"] if "fill" in entry}
    if sum(tensor.numel() * tensor.element_size() for tensor in tensors.values()) > options["stored_bytes"]:
        tensors = {key: tensor for key, tensor in tensors.items() if key not in filled}
    parts = json.dumps(graph, separators=(",", ":")).encode(), safetensors(tensors), safetensors(expected)
    say({"size": label, "graph": len(parts[0]), "tensors": len(parts[1]), "expected": len(parts[2])}, *parts)


def main(packed):
    options = json.loads(base64.b64decode(packed))
    torch.set_num_threads(1)
    if hasattr(torch.backends.cuda, "enable_mem_efficient_sdp"):
        # Else calls are recorded that exist on CPUs only, and have no fp64.
        torch.backends.mkldnn.enabled = False
        torch.backends.cuda.enable_flash_sdp(False)
        torch.backends.cuda.enable_mem_efficient_sdp(False)
    try:
        for label, divisor, more in sizes(options["text"], options["name"], options["mode"]):
            record_size(options, label, divisor, more)
        say({"done": torch.__version__})
    except BaseException as error:
        words = " ".join(f"{type(error).__name__}: {error}".split())
        say({"error": words[:400]})
    os._exit(0)
