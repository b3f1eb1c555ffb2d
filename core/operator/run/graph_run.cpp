// SPDX-License-Identifier: Apache-2.0
// Only this file and call_arguments.cpp call LibTorch for operator graphs.
#include "operator/run/graph_run.h"

#include "base/failure.h"
#include "base/format.h"
#include "base/printable.h"
#include "operator/graph/known_operators.h"
#include "operator/run/call_arguments.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <c10/core/Allocator.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <chrono>
#include <climits>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <sstream>
#include <torch/headeronly/version.h>

namespace sparserl {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

std::string placeOf(const OperatorGraph& graph, std::size_t index)
{
    return fmt::format("node {} (aten::{})", index, graph.nodes[index].op);
}

/// Returns the first line of a message of LibTorch.
std::string firstLine(const std::string& text)
{
    constexpr std::size_t most = 300;
    return shortened(printableLine(text.substr(0, text.find('\n'))), most);
}

/// Counts the bytes that the CPU allocator hands out on this thread.
class MemoryCount : public c10::MemoryReportingInfoBase
{
public:
    void reportMemoryUsage(void* /*place*/, std::int64_t bytes, std::size_t /*allocated*/,
                           std::size_t /*reserved*/, c10::Device /*device*/) override
    {
        m_now += bytes;
        m_peak = std::max(m_peak, m_now);
    }
    void reportOutOfMemory(std::int64_t /*bytes*/, std::size_t /*allocated*/, std::size_t /*reserved*/,
                           c10::Device /*device*/) override
    {
    }
    bool memoryProfilingEnabled() const override { return true; }
    std::uint64_t peak() const { return static_cast<std::uint64_t>(std::max<std::int64_t>(m_peak, 0)); }

private:
    std::int64_t m_now = 0, m_peak = 0;
};

/// Makes double the default type during a run in fp64, so that quotients of whole numbers are doubles.
class DefaultType
{
public:
    explicit DefaultType(RunPrecision precision)
    {
        if (precision == RunPrecision::Double)
            c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
    }
    ~DefaultType() { c10::set_default_dtype(m_before); }
    DefaultType(const DefaultType&) = delete;
    DefaultType& operator=(const DefaultType&) = delete;

private:
    caffe2::TypeMeta m_before = c10::get_default_dtype();
};

at::Tensor toTorch(const HostTensor& from, const TensorType& wanted, RunPrecision precision)
{
    at::Tensor plain = at::empty(from.type.shape, scalarTypeOf(from.type.element, RunPrecision::AsWritten));
    if (!from.bytes.empty())
        std::memcpy(plain.data_ptr(), from.bytes.data(), from.bytes.size());
    plain = plain.to(scalarTypeOf(from.type.element, precision));
    if (wanted.strides.empty())
        return plain;
    at::Tensor strided = at::empty_strided(wanted.shape, wanted.strides, plain.options());
    strided.copy_(plain);
    return strided;
}

HostTensor fromTorch(const at::Tensor& tensor)
{
    const at::Tensor plain = tensor.contiguous();
    const auto element = elementOfScalarType(plain.scalar_type());
    if (!element)
        throw Failure({"an output has the type " + std::string(c10::toString(plain.scalar_type()))});
    HostTensor host = emptyTensor({*element, plain.sizes().vec(), {}});
    if (!host.bytes.empty())
        std::memcpy(host.bytes.data(), plain.data_ptr(), host.bytes.size());
    return host;
}

std::string shapeText(c10::IntArrayRef sizes)
{
    std::ostringstream text;
    text << sizes;
    return text.str();
}

/// Refuses a node before anything runs if, by its schema, it draws random numbers, hands a value to its
/// caller, or writes into an argument without being an in-place form. Batch normalisations may write their
/// statistics.
Status checkSchema(const GraphNode& node, const c10::OperatorHandle& op)
{
    if (op.hasTag(at::Tag::nondeterministic_seeded) && drawsNumbers(node, op.schema()))
        return fail("draws random numbers, and no oracle can repeat them", "Import the task in eval mode");
    if (op.hasTag(at::Tag::data_dependent_output))
        return fail("hands a value of a tensor to its caller: the graph would hold for these inputs only");
    for (std::size_t i = 0; i < op.schema().arguments().size(); ++i) {
        const auto* const alias = op.schema().arguments()[i].alias_info();
        if (alias && alias->isWrite() && !(i == 0 && worksInPlace(node.op)) &&
            !node.op.starts_with("_native_batch_norm"))
            return fail("writes into its argument " + op.schema().arguments()[i].name() +
                        ", which graphs do not know");
    }
    return {};
}

} // namespace

struct PreparedGraph::Impl
{
    OperatorGraph graph;
    std::vector<c10::OperatorHandle> ops;
    std::vector<int> lastUse; ///< The last node that needs each value; INT_MAX for outputs, -1: none.

    /// The state of one run.
    struct Run
    {
        const Impl& prepared;
        RunPrecision precision;
        std::vector<at::Tensor> values;

        void put(int number, const c10::IValue& result);
        void call(std::size_t index);
        void forget(std::size_t index);
    };
};

void PreparedGraph::Impl::Run::put(int number, const c10::IValue& result)
{
    if (number < 0 || result.isNone())
        return;
    at::Tensor tensor = result.toTensor();
    const auto at = static_cast<std::size_t>(number);
    if (prepared.lastUse[at] >= 0) {
        const TensorType& want = prepared.graph.values[at];
        if (tensor.sizes() != c10::IntArrayRef(want.shape))
            throw Failure({"it returned the shape " + shapeText(tensor.sizes()) + ", and the graph says " +
                           shapeText(want.shape)});
        if (tensor.scalar_type() != scalarTypeOf(want.element, precision))
            throw Failure({fmt::format("it returned the type {}, and the graph says {}",
                                       c10::toString(tensor.scalar_type()), nameOf(want.element))});
    }
    values[at] = std::move(tensor);
}

/// Checks the sizes of the scale, the shift and the statistics of a normalisation. LibTorch reads and writes
/// as many of their elements as the input has channels, and not all of its implementations check the sizes.
void checkChannels(const GraphNode& node, const torch::jit::Stack& stack)
{
    if (node.op.find("batch_norm") == std::string::npos && node.op != "instance_norm")
        return;
    if (stack.empty() || !stack[0].isTensor() || stack[0].toTensor().dim() < 2)
        throw Failure({"it needs an input with at least two dimensions"});
    const std::int64_t channels = stack[0].toTensor().size(1);
    for (std::size_t i = 1; i < stack.size(); ++i)
        if (stack[i].isTensor() && stack[i].toTensor().defined() &&
            (stack[i].toTensor().dim() != 1 || stack[i].toTensor().size(0) != channels))
            throw Failure({fmt::format("an argument has the shape {}, and the input has {} channels",
                                       shapeText(stack[i].toTensor().sizes()), channels)});
}

void PreparedGraph::Impl::Run::call(std::size_t index)
{
    const GraphNode& node = prepared.graph.nodes[index];
    const c10::OperatorHandle& op = prepared.ops[index];
    auto stack = callArguments(node, op.schema(), prepared.graph, values, precision);
    checkChannels(node, stack);
    op.callBoxed(stack);
    if (stack.size() == 1 && stack[0].isList()) {
        const auto list = stack[0].toListRef();
        if (list.size() != node.outputs.size())
            throw Failure({fmt::format("it returned {} tensors, and the graph says {}", list.size(),
                                       node.outputs.size())});
        for (std::size_t i = 0; i < list.size(); ++i)
            put(node.outputs[i], list[i]);
    } else {
        if (stack.size() < node.outputs.size())
            throw Failure({fmt::format("it returned {} values, and the graph says {}", stack.size(),
                                       node.outputs.size())});
        for (std::size_t i = 0; i < node.outputs.size(); ++i) {
            if (!stack[i].isTensor() && !stack[i].isNone())
                throw Failure({"it returned something that is no tensor"});
            put(node.outputs[i], stack[i]);
        }
    }
    // Memory that nobody has written yet is filled with NaN, so that the result shows if it is read.
    if (node.op.find("empty") != std::string::npos && !node.outputs.empty() && node.outputs[0] >= 0)
        if (auto& made = values[static_cast<std::size_t>(node.outputs[0])]; made.is_floating_point())
            made.fill_(std::nan(""));
}

void PreparedGraph::Impl::Run::forget(std::size_t index)
{
    const auto drop = [&](int number) {
        if (number >= 0 && prepared.lastUse[static_cast<std::size_t>(number)] <= static_cast<int>(index))
            values[static_cast<std::size_t>(number)].reset();
    };
    for (const int number : referencesOf(prepared.graph.nodes[index]))
        drop(number);
    for (const int number : prepared.graph.nodes[index].outputs)
        drop(number);
}

PreparedGraph::PreparedGraph(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
PreparedGraph::~PreparedGraph() = default;
PreparedGraph::PreparedGraph(PreparedGraph&&) noexcept = default;
PreparedGraph& PreparedGraph::operator=(PreparedGraph&&) noexcept = default;

Result<PreparedGraph> PreparedGraph::prepare(const OperatorGraph& graph)
{
    auto impl = std::make_unique<Impl>();
    impl->graph = graph;
    impl->lastUse.assign(graph.values.size(), -1);
    const auto uses = [&](int number) -> int& { return impl->lastUse[static_cast<std::size_t>(number)]; };
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const GraphNode& node = graph.nodes[i];
        auto op = c10::Dispatcher::singleton().findSchema({"aten::" + node.op, node.overload});
        if (!op)
            return fail(fmt::format("{}: this LibTorch has no overload {} of it", placeOf(graph, i),
                                    node.overload.empty() ? "without a name"
                                                          : "\"" + printableLine(node.overload) + "\""),
                        "Import the task with another version of PyTorch");
        if (auto checked = checkSchema(node, *op); !checked)
            return fail(placeOf(graph, i) + " " + checked.error().what, checked.error().remedy);
        for (const int number : referencesOf(node))
            uses(number) = static_cast<int>(i);
        impl->ops.push_back(std::move(*op));
    }
    for (const GraphOutput& output : graph.outputs)
        uses(output.value) = INT_MAX;
    return PreparedGraph(std::move(impl));
}

Result<GraphResult> PreparedGraph::run(const HostTensors& tensors, RunPrecision precision,
                                       const RunLimits& limits) const
{
    const OperatorGraph& graph = m_impl->graph;
    const auto memory = std::make_shared<MemoryCount>();
    std::string place = "the inputs";
    try {
        const c10::InferenceMode inference;
        const DefaultType type(precision);
        const c10::DebugInfoGuard counting(c10::DebugInfoKind::PROFILER_STATE, memory);
        Impl::Run run{*m_impl, precision, std::vector<at::Tensor>(graph.values.size())};
        const auto take = [&](const std::string& name, int value) {
            const auto found = tensors.find(name);
            const auto& type = graph.values[static_cast<std::size_t>(value)];
            if (found == tensors.end() || found->second.type.shape != type.shape)
                throw Failure({"there is no tensor \"" + printableLine(name) + "\" of the graph's shape"});
            run.values[static_cast<std::size_t>(value)] = toTorch(found->second, type, precision);
        };
        for (const GraphInput& input : graph.inputs)
            take(input.name, input.value);
        for (const GraphWeight& weight : graph.weights)
            take(weight.name, weight.value);
        GraphResult result;
        const auto start = Clock::now();
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            place = placeOf(graph, i);
            run.call(i);
            if (since(start) > limits.seconds)
                return fail(fmt::format("the graph ran longer than {}; it was stopped after {} of {} calls",
                                        formatDuration(limits.seconds), i + 1, graph.nodes.size()));
            if (memory->peak() > limits.bytes)
                return fail(place + ": the graph takes more than " +
                            formatBytes(static_cast<double>(limits.bytes)) + " of memory");
            run.forget(i);
        }
        result.seconds = since(start);
        place = "the outputs";
        for (const GraphOutput& output : graph.outputs)
            result.outputs.push_back(fromTorch(run.values[static_cast<std::size_t>(output.value)]));
        result.peakBytes = memory->peak();
        return result;
    } catch (const Failure& failure) {
        return fail(place + ": " + failure.error().what, failure.error().remedy);
    } catch (const c10::Error& error) {
        return fail(place + ": " + firstLine(error.what_without_backtrace()));
    } catch (const std::bad_alloc&) {
        return failOutOfMemory(place + ": there is not enough memory");
    } catch (const std::exception& error) {
        return fail(place + ": " + firstLine(error.what()));
    }
}

std::vector<std::string> schemaDisagreements()
{
    std::vector<std::string> sentences;
    const auto names = c10::Dispatcher::singleton().getAllOpNames();
    for (const KnownOperator& known : knownOperators()) {
        const std::string full = "aten::" + std::string(known.name);
        bool found = false;
        for (const auto& name : names) {
            if (name.name != full || name.overload_name.ends_with("out"))
                continue;
            found = true;
            const auto op = c10::Dispatcher::singleton().findSchema(name);
            if (!op)
                continue;
            for (std::size_t i = 0; i < op->schema().arguments().size(); ++i) {
                const auto& argument = op->schema().arguments()[i];
                const auto* const alias = argument.alias_info();
                // Overloads whose caller provides the results are refused (checkSchema()).
                if (!alias || argument.kwarg_only() || known.name == "_native_batch_norm_legit")
                    continue;
                if (alias->isWrite())
                    sentences.push_back(full + " writes into " + argument.name());
                else if (i != 0 || !sharesMemory({std::string(known.name), {}, {}, {}, {}}))
                    sentences.push_back(full + " shares memory with " + argument.name());
            }
        }
        if (!found)
            sentences.push_back(full + " is not in this LibTorch");
    }
    return sentences;
}

std::string libtorchVersion()
{
    return TORCH_VERSION;
}

void warmUpLibTorch()
{
    // There is only one thread, because the lock allows no more, and so that sums repeat. oneDNN and NNPACK
    // are off, because they write code at run time, which the lock forbids, and have no fp64.
    at::set_num_threads(1);
    at::globalContext().setUserEnabledMkldnn(false);
    at::globalContext().setUserEnabledNNPACK(false);
    const c10::InferenceMode inference;
    for (const auto type : {at::kFloat, at::kDouble}) {
        const at::Tensor square = at::empty({8, 8}, type).fill_(0.5);
        const at::Tensor product = square.mm(square).exp().sum();
        const at::Tensor result = product.add(product);
        static_cast<void>(result.item<double>());
    }
}

} // namespace sparserl
