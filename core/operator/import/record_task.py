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
    from torch.utils._mode_utils import no_dispatch
    from torch.utils._python_dispatch import TorchDispatchMode
except Exception as error:  # Also an OSError of a library that is missing.
    os.write(OUTPUT, json.dumps({"no_torch": f"{type(error).__name__}: {error}"[:300]}).encode() + b"\n")
    os._exit(0)

TYPES = {torch.float64: "F64", torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64",
         torch.int32: "I32", torch.uint8: "U8", torch.bool: "BOOL"}
FACTORIES = ("rand", "randn", "randint", "randperm")
VIEWS = ("alias", "detach", "expand", "lift_fresh", "permute", "select", "slice", "squeeze", "t", "transpose", "unsqueeze", "view")
DIVISORS = (64, 32, 16, 8, 4, 2, 1, -64, -16)  # Below zero: the batch is a number like the others.
LARGER = (-64, -16, -4)  # Where a smaller size is little more than rounding.
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
    if name in ("zeros", "zero_", "empty", "empty_like", "empty_strided", "new_empty", "new_zeros", "zeros_like"):
        return {"constant": 0}
    if name in ("ones", "ones_like", "new_ones"):
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


def number_in(args, place, otherwise=None):
    """The finite number at a place of a call's arguments; None: there is something else."""
    given = args[place] if place < len(args) else otherwise
    ok = isinstance(given, (int, float)) and math.isfinite(given)
    return float(given) if ok else None


def steps_of(name, args, kwargs, shape):
    """What a call does to the elements of its first argument, as steps of a fill; None: something else."""
    by = number_in(args, 1)
    if name in ("alias", "clone", "contiguous", "detach", "lift_fresh", "_to_copy", "to"):
        kind = kwargs.get("dtype")
        if kind is None or kind in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
            return []
        return [{"ne": 0}] if kind is torch.bool else ["trunc"]
    if name in ("tril", "triu") and len(shape) >= 2:
        by = number_in(args, 1, 0)
        return None if by is None else [{name: by}]
    if name in ("_softmax", "softmax") and len(args) > 1 and shape:
        return ["softmax"] if args[1] in (-1, len(shape) - 1) else None
    if name in ("abs", "erfinv", "exp", "log"):
        return [name]
    if name == "neg":
        return [{"mul": -1}]
    if name == "clamp":
        least, most = ((list(args[1:]) + [None, None])[place] if len(args) > 1 + place else kwargs.get(key)
                       for place, key in enumerate(("min", "max")))
        bounds = [("at_least", least), ("at_most", most)]
        if any(x is not None and number_in([x], 0) is None for _, x in bounds):
            return None
        return [{key: float(x)} for key, x in bounds if x is not None]
    if by is None or kwargs or len(args) != 2:
        return None
    if name in ("mul", "div", "add", "eq", "ne", "gt", "ge", "lt", "le"):
        return None if name == "div" and by == 0 else [{name: by}]
    if name == "sub":
        return [{"add": -by}]
    if name == "rsub":
        return [{"mul": -1}, {"add": by}]
    return None


class FillWatch(TorchDispatchMode):
    """Notes for each storage how its elements came about: a fill and steps, and the shape of the whole."""

    MOST_STEPS = 16

    def __init__(self):
        super().__init__()
        self.last, self.keep = {}, []

    def __torch_dispatch__(self, function, kinds, args=(), kwargs=None):
        kwargs = kwargs or {}
        first = args[0] if args and isinstance(args[0], torch.Tensor) else None
        before = self.of(first)
        out = function(*args, **kwargs)
        name = short(function)
        for tensor in out if isinstance(out, (list, tuple)) else (out,):
            if isinstance(tensor, torch.Tensor) and (name not in VIEWS or storage_of(tensor) not in self.last):
                self.keep.append(tensor)  # So that no other tensor gets this storage.
                if name.startswith(("empty", "new_empty")):
                    tensor.zero_()  # Whatever is in new memory, it is nothing to keep.
                known = fill_of(name, [x for x in args if not isinstance(x, (torch.Tensor, list, tuple))])
                if name.startswith("lift") and first is not None and first.numel() == 1 and not is_fake(first):
                    with no_dispatch():  # A number that was written out.
                        number = float(first)
                    known = {"constant": number} if math.isfinite(number) else None
                if known is None and before and tensor.numel() == first.numel():
                    steps = steps_of(name[:-1] if name.endswith("_") else name, args, kwargs, list(tensor.shape))
                    if steps is not None and len(before.get("then", [])) + len(steps) <= self.MOST_STEPS:
                        then = before.get("then", []) + steps
                        known = {**before, **({"then": then} if then else {})}
                self.last[storage_of(tensor)] = known, tensor.numel(), list(tensor.shape), tensor.is_contiguous()
        return out

    def of(self, tensor):
        """The fill of a tensor that is the whole of its memory, in its order where that matters."""
        if tensor is None:
            return None
        known, count, shape, plain = self.last.get(storage_of(tensor), (None, 0, [], False))
        if known is None or count != tensor.numel():
            return None
        places = any(step == "softmax" or isinstance(step, dict) and ("tril" in step or "triu" in step)
                     for step in known.get("then", []))
        if places and (list(tensor.shape) != shape or not plain or not tensor.is_contiguous()):
            return None
        return known

    def fill(self, tensor):
        return self.of(tensor)


def is_fake(tensor):
    return type(tensor).__name__ == "FakeTensor" or hasattr(tensor, "fake_mode")


def copy_of(tensor):
    if is_fake(tensor):
        return tensor.detach().clone()
    with no_dispatch():  # Tensors without elements and others do not mix.
        return tensor.detach().clone()


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
            self.constants.append((self.value(tensor), copy_of(tensor), tensor))
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
        if name.startswith("prim::"):  # A question of PyTorch's own about a tensor.
            return function(*args, **kwargs)
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


def parts_of(given, name):
    """What an argument of `forward` holds, by name: tensors, and what is none."""
    if isinstance(given, dict) and any(isinstance(x, torch.Tensor) for x in given.values()):
        return [part for key, one in given.items() for part in parts_of(one, f"{name}.{key}")]
    if isinstance(given, (list, tuple)) and any(isinstance(x, (torch.Tensor, dict)) for x in given):
        return [part for place, one in enumerate(given) for part in parts_of(one, f"{name}.{place}")]
    return [(name, given)]


def record(model, inputs, watch, real=lambda tensor: None):
    """One call of the model as a graph, and the tensors that belong to it by name. `real`: the tensor with elements that one
    without them stands for."""
    recorder, graph, tensors = Recorder(), {"format": 1, "inputs": [], "weights": []}, {}
    names = list(inspect.signature(model.forward).parameters)
    names += [f"arg{place}" for place in range(len(names), len(inputs))]

    def entry(name, tensor, number=None, fill=None, copy=None, **more):
        meant = real(tensor)
        tensors[name] = copy_of(tensor if meant is None else meant) if copy is None or meant is not None else copy
        found = fill or (watch.fill(tensor) if watch else None)
        return {"name": name, "value": recorder.value(tensor) if number is None else number, **more,
                **({"fill": found} if found else {})}

    for part, given in (pair for name, given in zip(names, inputs) for pair in parts_of(given, name)):
        if isinstance(given, torch.Tensor):
            graph["inputs"].append(entry(part, given))
        else:
            graph["inputs"].append({"name": part, "baked": repr(given)[:200]})
    for kind, all_of_it in (("parameter", model.named_parameters()), ("buffer", model.named_buffers())):
        graph["weights"] += [entry(name, tensor, kind=kind) for name, tensor in all_of_it]
    with torch.no_grad(), recorder:
        out = model(*inputs)
    results = [(name, recorder.known(tensor)) for name, tensor in flat(out)]
    for number, copy, tensor in recorder.constants:
        graph["weights"].append(entry(f"constant.{number}", tensor, number, copy=copy, kind="constant"))
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


class Constants:
    """A task in KernelBench's form, at sizes that follow from the numbers at its top level."""

    def __init__(self, options):
        self.text, self.name, self.larger = options["text"], options["name"], options.get("larger", 0)
        self.scaled = 0

    def module(self, divisor, more):
        return load(self.text, self.name, divisor, more)[0]

    def sizes(self, mode):
        """(label, what makes its module) of up to three sizes: the smallest that runs, and two with odd constants."""
        problem = None
        for divisor in LARGER[self.larger - 1:] if self.larger else DIVISORS:
            try:
                seconds = attempt(self.module(divisor, {}), mode)
                break
            except Exception as error:
                problem = problem or error
        else:
            raise problem
        count = self.scaled = load(self.text, self.name, divisor, {})[1]
        yield "base", lambda: self.module(divisor, {})
        for label, delta in (("odd1", 1), ("odd3", 3)):
            def works(more):
                try:
                    attempt(self.module(divisor, more), mode)
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
                yield label, lambda: self.module(divisor, more)

    def full(self):
        return self.module(0, {})


class Cases:
    """A task in GPU MODE's form (task.yml): ref_kernel, generate_input, and the arguments of the latter for each size."""

    def __init__(self, options):
        self.files, self.cases, self.whole = options["files"], options["cases"], options.get("full")
        self.cases = self.cases[options.get("larger", 0):]
        self.scaled = 1 if self.whole else 0

    def module(self, case):
        for name, text in self.files.items():
            module = sys.modules[name] = types.ModuleType(name)
            module.__source__ = text
        for name in [name for name in self.files if name != "reference"] + ["reference"]:
            try:
                exec(compile(self.files[name], name + ".py", "exec"), sys.modules[name].__dict__)
            except Exception:
                if name == "reference":  # The others are helpers, of which some need a GPU.
                    raise
        reference, calls = sys.modules["reference"], []

        class Model(torch.nn.Module):
            def forward(self, data):
                return reference.ref_kernel(data)

        def get_inputs():
            calls.append(1)
            seed = {"seed": case["seed"] + len(calls) - 1} if type(case.get("seed")) is int else {}
            return [reference.generate_input(**{**case, **seed})]

        made = types.ModuleType("task_of_cases")
        made.Model, made.get_inputs = Model, get_inputs
        return made

    def sizes(self, mode):
        problem, labels = None, ["base", "test2", "test3"]
        for case in self.cases:
            try:
                seconds = attempt(self.module(case), mode)
            except Exception as error:
                problem = problem or error
                continue
            yield labels.pop(0), lambda: self.module(case)
            if not labels or seconds > SLOW:
                return
        if len(labels) == 3:
            raise problem or TypeError("the task has no tests")

    def full(self):
        return self.module(self.whole)


def on_cpu():
    """Lets a task that was written for GPUs run on the CPU."""
    from torch.overrides import TorchFunctionMode

    def cpu(given):
        is_device = isinstance(given, (str, torch.device)) and str(given).split(":")[0] == "cuda"
        return torch.device("cpu") if is_device else given

    class OnCpu(TorchFunctionMode):
        def __torch_function__(self, function, kinds, args=(), kwargs=None):
            if function is torch.Tensor.cuda:
                return args[0]
            return function(*map(cpu, args), **{key: cpu(one) for key, one in (kwargs or {}).items()})

    generator = torch.Generator
    torch.Generator = lambda device="cpu": generator(device=cpu(device))
    torch.cuda.synchronize = lambda *_: None
    torch.Tensor.cuda = lambda tensor, *_, **__: tensor
    return OnCpu()


def attempt(module, mode):
    """Seconds of one call."""
    model, inputs = build(module, mode)
    start = time.time()
    with torch.no_grad():
        flat(model(*inputs))
    return time.time() - start


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


def bytes_of(tensors):
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors)


def say_size(options, graph, tensors, expected, label):
    graph.update(name=options["name"], size=label, mode=options["mode"], recorder=f"torch {torch.__version__}")
    parts = json.dumps(graph, separators=(",", ":")).encode(), safetensors(tensors), safetensors(expected)
    say({"size": label, "graph": len(parts[0]), "tensors": len(parts[1]), "expected": len(parts[2])}, *parts)


def without_fill(graph):
    return [entry["name"] for entry in graph["inputs"] + graph["weights"] if "value" in entry and "fill" not in entry]


def record_size(options, label, make):
    """Records a size and says it. True: its calls depend on the contents of its inputs."""
    module, watch = make(), FillWatch()
    model, inputs = build(module, options["mode"], watch)
    state = {key: tensor.clone() for key, tensor in model.state_dict().items()}
    graph, tensors, out = record(model, inputs, watch)
    expected = {key: tensor.detach().clone() for key, tensor in flat(out)}
    # A second time with other inputs: what differs depends on them, or left the graph.
    model.load_state_dict(state)
    torch.manual_seed(77)
    other, others, _ = record(model, list(module.get_inputs()), None)
    same = graph["nodes"] == other["nodes"] and graph["values"] == other["values"] and all(
        torch.equal(tensor, others.get(key)) for key, tensor in tensors.items() if key.startswith("constant."))
    if not same:
        graph["depends_on_values"] = True
    if bytes_of(tensors.values()) > options["stored_bytes"]:
        tensors = {key: tensors[key] for key in without_fill(graph)}
    say_size(options, graph, tensors, expected, label)
    return not same


class Fakes:
    """Tensors without elements for those of a model, each for all its uses."""

    def __init__(self, mode, watch):
        self.mode, self.watch, self.fakes, self.reals = mode, watch, {}, {}

    def real(self, fake):
        return self.reals.get(id(fake))

    def of(self, given):
        if isinstance(given, torch.Tensor):
            if id(given) not in self.fakes:
                fake = self.mode.from_tensor(given)
                self.fakes[id(given)], self.reals[id(fake)] = fake, given
                if storage_of(given) in self.watch.last:
                    self.watch.last[storage_of(fake)] = self.watch.last[storage_of(given)]
            return self.fakes[id(given)]
        if isinstance(given, dict):
            for key in given:
                given[key] = self.of(given[key])
        elif isinstance(given, list):
            given[:] = [self.of(one) for one in given]
        elif type(given) is tuple:
            return tuple(self.of(one) for one in given)
        return given

    def model(self, model):
        for module in model.modules():
            for key, given in module.__dict__.items():
                if key != "_modules":
                    module.__dict__[key] = self.of(given)


def record_full(options, depends, make):
    """Records the task at its own size and says it. Its calls work on tensors without elements, so that it costs neither
    memory nor time. What no fill describes is made with its elements, and kept."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    mixes = "allow_non_fake_inputs" in inspect.signature(FakeTensorMode.__init__).parameters
    mode = options["mode"]

    def attempt_it(with_elements):
        fake, watch = FakeTensorMode(**({"allow_non_fake_inputs": True} if mixes else {})), FillWatch()
        fakes = Fakes(fake, watch)
        if with_elements:
            model, inputs = build(make(), mode, watch)
            fakes.model(model)
            inputs = fakes.of(inputs)
        with fake:
            if not with_elements:
                model, inputs = build(make(), mode, watch)
            graph, tensors, _ = record(model, inputs, watch, fakes.real)
        kept = {key: tensors[key] for key in without_fill(graph)}
        for key, tensor in kept.items():
            if is_fake(tensor):
                raise TypeError(f"the elements of {key} are described by no fill")
        if bytes_of(kept.values()) > options["stored_bytes"]:
            raise MemoryError(f"{bytes_of(kept.values()) >> 20} MiB of tensors are described by no fill")
        if depends:
            graph["depends_on_values"] = True
        say_size(options, graph, kept, {}, "full")

    try:
        attempt_it(False)
    except Exception:  # Also if the task looks at elements while it makes its module.
        attempt_it(True)


def words_of(error):
    return " ".join(f"{type(error).__name__}: {error}".split())[:400]


def main(packed):
    options = json.loads(base64.b64decode(packed))
    torch.set_num_threads(1)
    if hasattr(torch.backends.cuda, "enable_mem_efficient_sdp"):
        # Else calls are recorded that exist on CPUs only, and have no fp64.
        torch.backends.mkldnn.enabled = False
        torch.backends.cuda.enable_flash_sdp(False)
        torch.backends.cuda.enable_mem_efficient_sdp(False)
    source = Cases(options) if "files" in options else Constants(options)
    depends = False
    if "files" in options:
        on_cpu().__enter__()
    try:
        for label, make in source.sizes(options["mode"]):
            depends = record_size(options, label, make) or depends
        say({"done": torch.__version__, "scaled": source.scaled})
    except BaseException as error:
        say({"error": words_of(error)})
        os._exit(0)
    if source.scaled and not options.get("larger", 0):
        try:
            record_full(options, depends, source.full)
        except BaseException as error:
            say({"no_full": words_of(error)})
    os._exit(0)
