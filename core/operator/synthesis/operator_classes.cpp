// SPDX-License-Identifier: Apache-2.0
#include "operator/synthesis/operator_classes.h"

#include <cmath>
#include <string>
#include <vector>

namespace sparserl {

namespace {

using Arguments = std::vector<GraphArgument>;

GraphArgument ref(int value)
{
    return {ValueRef{value}};
}
GraphArgument whole(std::int64_t value)
{
    return {value};
}
GraphArgument real(double value)
{
    return {value};
}
GraphArgument yes(bool value)
{
    return {value};
}
const GraphArgument none{};
GraphArgument wholes(std::initializer_list<std::int64_t> values)
{
    std::vector<GraphArgument> list;
    for (const std::int64_t one : values)
        list.push_back(whole(one));
    return {list};
}

const Fill plain{FillKind::Normal, 0, 1};
const Fill around{FillKind::Uniform, 0.5, 1.5}; ///< For factors.
const Fill small{FillKind::Uniform, -0.5, 0.5}; ///< For summands.

/// Returns the distribution with which PyTorch initialises the weights of sums of `inputs` products.
Fill scaledBy(std::int64_t inputs)
{
    const double bound = 1 / std::sqrt(static_cast<double>(inputs));
    return {FillKind::Uniform, -bound, bound};
}

/// Returns the dimension that holds the features or channels.
std::int64_t featureAt(Stream stream)
{
    return stream == Stream::Sequence ? 2 : 1;
}
std::int64_t featuresOf(const GraphBuilder& graph, Stream stream, int top)
{
    return graph.shape(top)[static_cast<std::size_t>(featureAt(stream))];
}

constexpr unsigned everything = maskOf(Stream::Matrix) | maskOf(Stream::Sequence) | maskOf(Stream::Image);
constexpr unsigned flat = maskOf(Stream::Matrix) | maskOf(Stream::Sequence), image = maskOf(Stream::Image);

// Elementwise operators. The name is a template argument, so that each operator has a plain function.
template <const char* op>
int unary(GraphBuilder& graph, Stream, int top, const Choice&)
{
    return graph.call(op, "", {ref(top)}, graph.shape(top));
}
constexpr char reluName[] = "relu", siluName[] = "silu", tanhName[] = "tanh", sigmoidName[] = "sigmoid",
               mishName[] = "mish", hardswishName[] = "hardswish", hardsigmoidName[] = "hardsigmoid",
               absName[] = "abs", squareName[] = "square", sinName[] = "sin", atanName[] = "atan",
               erfName[] = "erf";

int gelu(GraphBuilder& graph, Stream, int top, const Choice& choice)
{
    // The schema takes the approximation as a keyword argument.
    const int made = graph.call("gelu", "", {ref(top)}, graph.shape(top));
    if (choice.draw % 2 == 1)
        graph.nameArgument("approximate", {std::string("tanh")});
    return made;
}
int softplus(GraphBuilder& graph, Stream, int top, const Choice& choice)
{
    return graph.call("softplus", "",
                      {ref(top), whole(1 + static_cast<std::int64_t>(choice.draw % 2)), whole(20)},
                      graph.shape(top));
}
int elu(GraphBuilder& graph, Stream, int top, const Choice&)
{
    return graph.call("elu", "", {ref(top), real(1)}, graph.shape(top));
}
int leakyRelu(GraphBuilder& graph, Stream, int top, const Choice& choice)
{
    return graph.call("leaky_relu", "", {ref(top), real(choice.draw % 2 == 0 ? 0.01 : 0.2)},
                      graph.shape(top));
}
int clamp(GraphBuilder& graph, Stream, int top, const Choice& choice)
{
    const double bound = 0.5 * static_cast<double>(1 + choice.draw % 4);
    return graph.call("clamp", "", {ref(top), real(-bound), real(bound)}, graph.shape(top));
}
int scale(GraphBuilder& graph, Stream, int top, const Choice& choice)
{
    return graph.call("mul", "Scalar", {ref(top), real(0.25 * static_cast<double>(1 + choice.draw % 8))},
                      graph.shape(top));
}
int shift(GraphBuilder& graph, Stream, int top, const Choice& choice)
{
    return graph.call("add", "Scalar",
                      {ref(top), real(0.25 * static_cast<double>(1 + choice.draw % 8)), whole(1)},
                      graph.shape(top));
}
int divide(GraphBuilder& graph, Stream, int top, const Choice& choice)
{
    return graph.call("div", "Scalar", {ref(top), real(1.5 + static_cast<double>(choice.draw % 4))},
                      graph.shape(top));
}
/// Appends sqrt(x^2 + 1), because the argument of a square root must not be negative.
int root(GraphBuilder& graph, Stream, int top, const Choice&)
{
    const int size = graph.call("square", "", {ref(top)}, graph.shape(top));
    const int more = graph.call("add", "Scalar", {ref(size), real(1), whole(1)}, graph.shape(top));
    return graph.call("sqrt", "", {ref(more)}, graph.shape(top));
}

// Operators with two tensors.
template <const char* op>
int withInput(GraphBuilder& graph, Stream, int top, const Choice&)
{
    const int other = graph.input(graph.shape(top), plain);
    Arguments arguments{ref(top), ref(other)};
    return graph.call(op, "Tensor", arguments, graph.shape(top));
}
constexpr char addName[] = "add", mulName[] = "mul", subName[] = "sub";

template <const char* op>
int extreme(GraphBuilder& graph, Stream, int top, const Choice&)
{
    const int other = graph.input(graph.shape(top), plain);
    return graph.call(op, "", {ref(top), ref(other)}, graph.shape(top));
}
constexpr char maximumName[] = "maximum", minimumName[] = "minimum";

Shape perFeature(const GraphBuilder& graph, Stream stream, int top)
{
    const std::int64_t features = featuresOf(graph, stream, top);
    return stream == Stream::Image ? Shape{features, 1, 1} : Shape{features};
}
int bias(GraphBuilder& graph, Stream stream, int top, const Choice&)
{
    const int weight = graph.weight(perFeature(graph, stream, top), small);
    return graph.call("add", "Tensor", {ref(top), ref(weight)}, graph.shape(top));
}
int featureScale(GraphBuilder& graph, Stream stream, int top, const Choice&)
{
    const int weight = graph.weight(perFeature(graph, stream, top), around);
    return graph.call("mul", "Tensor", {ref(top), ref(weight)}, graph.shape(top));
}
int prelu(GraphBuilder& graph, Stream stream, int top, const Choice&)
{
    // PyTorch takes dimension 1 for the channels. In a sequence, this dimension holds the steps, so that one
    // weight serves all of them.
    if (stream == Stream::Sequence)
        return graph.call("prelu", "", {ref(top), ref(graph.weight({1}, small))}, graph.shape(top));
    return graph.call("prelu", "", {ref(top), ref(graph.weight({featuresOf(graph, stream, top)}, small))},
                      graph.shape(top));
}

// Operators over the features.
template <const char* op>
int normalised(GraphBuilder& graph, Stream stream, int top, const Choice&)
{
    return graph.call(op, "int", {ref(top), whole(featureAt(stream)), none}, graph.shape(top));
}
constexpr char softmaxName[] = "softmax", logSoftmaxName[] = "log_softmax";

int cumsum(GraphBuilder& graph, Stream stream, int top, const Choice&)
{
    return graph.call("cumsum", "", {ref(top), whole(featureAt(stream))}, graph.shape(top));
}
int layerNorm(GraphBuilder& graph, Stream stream, int top, const Choice&)
{
    const std::int64_t features = featuresOf(graph, stream, top);
    const int weight = graph.weight({features}, around), shifts = graph.weight({features}, small);
    return graph.call("layer_norm", "",
                      {ref(top), wholes({features}), ref(weight), ref(shifts), real(1e-5), yes(false)},
                      graph.shape(top));
}
int batchNorm(GraphBuilder& graph, Stream stream, int top, const Choice&)
{
    const std::int64_t features = featuresOf(graph, stream, top);
    const int weight = graph.weight({features}, around), shifts = graph.weight({features}, small);
    return graph.call(
        "batch_norm", "",
        {ref(top), ref(weight), ref(shifts), none, none, yes(true), real(0.1), real(1e-5), yes(false)},
        graph.shape(top));
}
int instanceNorm(GraphBuilder& graph, Stream stream, int top, const Choice&)
{
    const std::int64_t features = featuresOf(graph, stream, top);
    const int weight = graph.weight({features}, around), shifts = graph.weight({features}, small);
    return graph.call(
        "instance_norm", "",
        {ref(top), ref(weight), ref(shifts), none, none, yes(true), real(0.1), real(1e-5), yes(false)},
        graph.shape(top));
}
int groupNorm(GraphBuilder& graph, Stream stream, int top, const Choice& choice)
{
    const std::int64_t features = featuresOf(graph, stream, top);
    // The number of channels is a multiple of 4 at all sizes.
    const std::int64_t groups = choice.draw % 2 == 0 ? 1 : 4;
    const int weight = graph.weight({features}, around), shifts = graph.weight({features}, small);
    return graph.call("group_norm", "",
                      {ref(top), whole(groups), ref(weight), ref(shifts), real(1e-5), yes(false)},
                      graph.shape(top));
}

// Reductions over the features, and losses. A reduction leaves one number for each row or place.
Shape reduced(const GraphBuilder& graph, Stream stream, int top)
{
    Shape shape = graph.shape(top);
    shape[static_cast<std::size_t>(featureAt(stream))] = 1;
    return shape;
}
template <const char* op, bool withType>
int reduce(GraphBuilder& graph, Stream stream, int top, const Choice&)
{
    Arguments arguments{ref(top), wholes({featureAt(stream)}), yes(true)};
    return graph.call(op, withType ? "dim" : "", arguments, reduced(graph, stream, top));
}
constexpr char meanName[] = "mean", amaxName[] = "amax", aminName[] = "amin", logsumexpName[] = "logsumexp";

int sum(GraphBuilder& graph, Stream stream, int top, const Choice&)
{
    return graph.call("sum", "dim_IntList", {ref(top), wholes({featureAt(stream)}), yes(true)},
                      reduced(graph, stream, top));
}
int norm(GraphBuilder& graph, Stream stream, int top, const Choice& choice)
{
    return graph.call("linalg_vector_norm", "",
                      {ref(top), whole(1 + static_cast<std::int64_t>(choice.draw % 2)),
                       wholes({featureAt(stream)}), yes(true)},
                      reduced(graph, stream, top));
}
int variance(GraphBuilder& graph, Stream stream, int top, const Choice&)
{
    return graph.call("var", "dim", {ref(top), wholes({featureAt(stream)}), yes(true), yes(true)},
                      reduced(graph, stream, top));
}
template <const char* op>
int loss(GraphBuilder& graph, Stream, int top, const Choice&)
{
    const int target = graph.input(graph.shape(top), plain);
    return graph.call(op, "", {ref(top), ref(target)}, {});
}
constexpr char mseName[] = "mse_loss", l1Name[] = "l1_loss", smoothName[] = "smooth_l1_loss",
               huberName[] = "huber_loss";

// Operators with matrix products.
int linear(GraphBuilder& graph, Stream stream, int top, const Choice& choice)
{
    const std::int64_t from = featuresOf(graph, stream, top);
    const int weight = graph.weight({choice.extent, from}, scaledBy(from));
    Shape shape = graph.shape(top);
    shape.back() = choice.extent;
    if (choice.draw % 4 == 0)
        return graph.call("linear", "", {ref(top), ref(weight), none}, shape);
    return graph.call("linear", "",
                      {ref(top), ref(weight), ref(graph.weight({choice.extent}, scaledBy(from)))}, shape);
}
int matmul(GraphBuilder& graph, Stream stream, int top, const Choice& choice)
{
    const std::int64_t from = featuresOf(graph, stream, top);
    Shape shape = graph.shape(top), other{from, choice.extent};
    if (stream == Stream::Sequence)
        other.insert(other.begin(), shape.front());
    shape.back() = choice.extent;
    const int right = graph.input(other, scaledBy(from));
    return graph.call(stream == Stream::Sequence ? "bmm" : "mm", "", {ref(top), ref(right)}, shape);
}
int attention(GraphBuilder& graph, Stream, int top, const Choice& choice)
{
    const int keys = graph.input(graph.shape(top), plain), values = graph.input(graph.shape(top), plain);
    return graph.call("scaled_dot_product_attention", "",
                      {ref(top), ref(keys), ref(values), none, real(0), yes(choice.draw % 2 == 1)},
                      graph.shape(top));
}

// Operators for images.
int convolution(GraphBuilder& graph, Stream, int top, const Choice& choice)
{
    Shape shape = graph.shape(top);
    const std::int64_t width = 1 + 2 * static_cast<std::int64_t>(choice.draw % 3), pad = width / 2;
    const bool depthwise = choice.draw / 3 % 4 == 0;
    const std::int64_t channels = depthwise ? shape[1] : choice.extent, each = depthwise ? 1 : shape[1];
    const Fill fill = scaledBy(each * width * width);
    const int weight = graph.weight({channels, each, width, width}, fill),
              shifts = graph.weight({channels}, fill);
    const std::int64_t groups = depthwise ? channels : 1;
    shape[1] = channels;
    return graph.call("conv2d", "",
                      {ref(top), ref(weight), ref(shifts), wholes({1, 1}), wholes({pad, pad}), wholes({1, 1}),
                       whole(groups)},
                      shape);
}
int transposedConvolution(GraphBuilder& graph, Stream, int top, const Choice& choice)
{
    Shape shape = graph.shape(top);
    const Fill fill = scaledBy(shape[1] * 4);
    const int weight = graph.weight({shape[1], choice.extent, 2, 2}, fill),
              shifts = graph.weight({choice.extent}, fill);
    shape = {shape[0], choice.extent, 2 * shape[2], 2 * shape[3]};
    return graph.call("conv_transpose2d", "input",
                      {ref(top), ref(weight), ref(shifts), wholes({2, 2}), wholes({0, 0}), wholes({0, 0}),
                       whole(1), wholes({1, 1})},
                      shape);
}
Shape halved(const GraphBuilder& graph, int top)
{
    Shape shape = graph.shape(top);
    shape[2] /= 2;
    shape[3] /= 2;
    return shape;
}
int maxPool(GraphBuilder& graph, Stream, int top, const Choice&)
{
    return graph.call("max_pool2d", "", {ref(top), wholes({2, 2}), wholes({2, 2})}, halved(graph, top));
}
int averagePool(GraphBuilder& graph, Stream, int top, const Choice&)
{
    return graph.call("avg_pool2d", "", {ref(top), wholes({2, 2}), wholes({2, 2})}, halved(graph, top));
}
int globalPool(GraphBuilder& graph, Stream, int top, const Choice&)
{
    Shape shape = graph.shape(top);
    shape[2] = shape[3] = 1;
    return graph.call("mean", "dim", {ref(top), wholes({2, 3}), yes(true)}, shape);
}

constexpr OperatorClass classes[] = {
    {"relu", everything, false, unary<reluName>},
    {"silu", everything, false, unary<siluName>},
    {"tanh", everything, false, unary<tanhName>},
    {"sigmoid", everything, false, unary<sigmoidName>},
    {"mish", everything, false, unary<mishName>},
    {"hardswish", everything, false, unary<hardswishName>},
    {"hardsigmoid", everything, false, unary<hardsigmoidName>},
    {"abs", everything, false, unary<absName>},
    {"square", everything, false, unary<squareName>},
    {"sin", everything, false, unary<sinName>},
    {"atan", everything, false, unary<atanName>},
    {"erf", everything, false, unary<erfName>},
    {"gelu", everything, false, gelu},
    {"softplus", everything, false, softplus},
    {"elu", everything, false, elu},
    {"leaky_relu", everything, false, leakyRelu},
    {"clamp", everything, false, clamp},
    {"scale", everything, false, scale},
    {"shift", everything, false, shift},
    {"divide", everything, false, divide},
    {"root", everything, false, root},
    {"add", everything, false, withInput<addName>},
    {"multiply", everything, false, withInput<mulName>},
    {"subtract", everything, false, withInput<subName>},
    {"maximum", everything, false, extreme<maximumName>},
    {"minimum", everything, false, extreme<minimumName>},
    {"bias", everything, false, bias},
    {"feature_scale", everything, false, featureScale},
    {"prelu", everything, false, prelu},
    {"softmax", everything, false, normalised<softmaxName>},
    {"log_softmax", everything, false, normalised<logSoftmaxName>},
    {"cumsum", everything, false, cumsum},
    {"layer_norm", flat, false, layerNorm},
    {"batch_norm", maskOf(Stream::Matrix) | image, false, batchNorm},
    {"instance_norm", image, false, instanceNorm},
    {"group_norm", image, false, groupNorm},
    {"sum", everything, true, sum},
    {"mean", everything, true, reduce<meanName, true>},
    {"max", everything, true, reduce<amaxName, false>},
    {"min", everything, true, reduce<aminName, false>},
    {"logsumexp", everything, true, reduce<logsumexpName, false>},
    {"norm", everything, true, norm},
    {"variance", everything, true, variance},
    {"mse_loss", everything, true, loss<mseName>},
    {"l1_loss", everything, true, loss<l1Name>},
    {"smooth_l1_loss", everything, true, loss<smoothName>},
    {"huber_loss", everything, true, loss<huberName>},
    {"linear", flat, false, linear},
    {"matmul", flat, false, matmul},
    {"attention", maskOf(Stream::Sequence), false, attention},
    {"conv2d", image, false, convolution},
    {"conv_transpose2d", image, false, transposedConvolution},
    {"max_pool2d", image, false, maxPool},
    {"avg_pool2d", image, false, averagePool},
    {"global_pool", image, true, globalPool},
};

} // namespace

std::span<const OperatorClass> operatorClasses()
{
    return classes;
}

} // namespace sparserl
