// SPDX-License-Identifier: Apache-2.0
#include "operator/synthesis/synthesis.h"

#include <algorithm>
#include <span>

namespace sparserl {

namespace {

// The extents that dimensions may have at the full size. The channels of images are multiples of 4, because
// a group normalisation may divide them into four groups.
constexpr std::array<std::int64_t, 6> rowCounts{2048, 4096, 8192, 16384, 32768, 65536};
constexpr std::array<std::int64_t, 6> featureCounts{1024, 2048, 4096, 8192, 12288, 16384};
constexpr std::array<std::int64_t, 4> batches{16, 32, 64, 128};
constexpr std::array<std::int64_t, 4> stepCounts{512, 1024, 2048, 4096};
constexpr std::array<std::int64_t, 4> widths{512, 1024, 2048, 4096};
constexpr std::array<std::int64_t, 5> channelCounts{16, 32, 64, 128, 256};
constexpr std::array<std::int64_t, 5> sides{56, 112, 128, 224, 256};

std::int64_t one(std::span<const std::int64_t> values, Rng& rng)
{
    return values[rng.below(values.size())];
}

std::int64_t featuresFor(Stream stream, Rng& rng)
{
    switch (stream) {
    case Stream::Matrix:
        return one(featureCounts, rng);
    case Stream::Sequence:
        return one(widths, rng);
    case Stream::Image:
        break;
    }
    return one(channelCounts, rng);
}

Shape shapeFor(Stream stream, Rng& rng)
{
    const std::int64_t features = featuresFor(stream, rng);
    switch (stream) {
    case Stream::Matrix:
        return {one(rowCounts, rng), features};
    case Stream::Sequence:
        return {one(batches, rng), one(stepCounts, rng), features};
    case Stream::Image:
        break;
    }
    const std::int64_t side = one(sides, rng);
    return {one(batches, rng), features, side, side};
}

/// Returns 1 or 3 for a size with odd extents, otherwise 0. Small extents grow with this number.
std::int64_t oddityOf(const std::string& size)
{
    return size == "odd1" ? 1 : size == "odd3" ? 3 : 0;
}

/// Returns the extent of dimension `place` at a size other than the full one. The result depends on `full`,
/// so that tensors with different full extents are less likely to have the same shape by chance.
std::int64_t smallExtent(Stream stream, std::size_t place, std::int64_t full, std::int64_t oddity)
{
    const std::int64_t variety = full / 16 % 3;
    if (stream == Stream::Image) {
        constexpr std::int64_t images = 2, side = 12;
        return place == 0   ? images + oddity
               : place == 1 ? 8 + 4 * variety + 4 * oddity
                            : side + oddity + static_cast<std::int64_t>(place);
    }
    if (stream == Stream::Sequence && place == 0)
        return 2 + oddity;
    return 16 + 8 * variety + oddity;
}

std::size_t featurePlace(Stream stream)
{
    return stream == Stream::Sequence ? 2 : 1;
}

} // namespace

std::string OperatorStack::words() const
{
    std::string text;
    for (const Layer& layer : layers)
        text += (text.empty() ? "" : " ") + std::string(layer.kind->name);
    return text;
}

OperatorStack drawStack(std::size_t layers, Rng& rng)
{
    constexpr std::array streams{Stream::Matrix, Stream::Sequence, Stream::Image};
    OperatorStack stack;
    stack.stream = streams[rng.below(streams.size())];
    stack.full = shapeFor(stack.stream, rng);
    const auto classes = operatorClasses();
    while (stack.layers.size() < layers) {
        const OperatorClass& kind = classes[rng.below(classes.size())];
        const bool top = stack.layers.size() + 1 == layers;
        if ((kind.streams & maskOf(stack.stream)) == 0 || (kind.last && !top))
            continue;
        // No class occurs twice, so that a stack has as many classes as the mixture says.
        if (std::ranges::any_of(stack.layers, [&](const auto& layer) { return layer.kind == &kind; }))
            continue;
        stack.layers.push_back({&kind, rng.next(), featuresFor(stack.stream, rng)});
    }
    return stack;
}

OperatorGraph buildStack(const OperatorStack& stack, const std::string& name, const std::string& size)
{
    const bool full = size == "full";
    const std::int64_t oddity = oddityOf(size);
    Shape shape = stack.full;
    for (std::size_t place = 0; place < shape.size() && !full; ++place)
        shape[place] = smallExtent(stack.stream, place, shape[place], oddity);
    GraphBuilder graph(name, size);
    int top = graph.input(shape, {FillKind::Normal, 0, 1});
    for (const OperatorStack::Layer& layer : stack.layers) {
        Choice choice{layer.draw, layer.full};
        if (!full)
            choice.extent = smallExtent(stack.stream, featurePlace(stack.stream), layer.full, oddity);
        top = layer.kind->append(graph, stack.stream, top, choice);
    }
    return std::move(graph).finish(top);
}

} // namespace sparserl
