// SPDX-License-Identifier: Apache-2.0
#include "operator/graph/host_tensor.h"

#include "base/format.h"
#include "base/half.h"
#include "base/safetensors_header.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

namespace sparserl {

static_assert(std::endian::native == std::endian::little, "tensor data is copied as it stands");

namespace {

template <typename T>
T load(const HostTensor& tensor, std::size_t index)
{
    T value{};
    std::memcpy(&value, tensor.bytes.data() + index * sizeof(T), sizeof(T));
    return value;
}

template <typename T>
void store(HostTensor& tensor, std::size_t index, T value)
{
    std::memcpy(tensor.bytes.data() + index * sizeof(T), &value, sizeof(T));
}

/// Converts a number to a whole number of this type. Cuts off the fraction, and limits the value to the range
/// of the type. NaN becomes 0.
template <typename T>
T wholeOf(double value)
{
    if (!(value >= static_cast<double>(std::numeric_limits<T>::min())))
        return std::isnan(value) ? T{} : std::numeric_limits<T>::min();
    if (value >= static_cast<double>(std::numeric_limits<T>::max()))
        return std::numeric_limits<T>::max();
    return static_cast<T>(value);
}

/// Returns the tensors of a file whose header was read. `take` copies the bytes of each tensor.
template <typename Take>
Result<HostTensors> tensorsOf(const SafeTensorsHeader& header, const std::string& file, std::uint64_t limit,
                              const Take& take)
{
    if (!header.tensors.empty() && header.tensors.back().end > limit)
        return failAt(file, 0,
                      "its tensors have " + formatBytes(static_cast<double>(header.tensors.back().end)) +
                          ", and " + formatBytes(static_cast<double>(limit)) + " are the most here");
    HostTensors all;
    for (const TensorEntry& entry : header.tensors) {
        const auto element = tensorElementFromName(entry.type);
        if (!element)
            return failAt(file, 0,
                          "a tensor has the element type " + entry.type + ", which graphs do not have");
        HostTensor& tensor = all[entry.name];
        tensor.type = {*element, entry.shape, {}};
        tensor.bytes.resize(entry.end - entry.begin);
        take(entry, tensor.bytes.data());
    }
    return all;
}

} // namespace

HostTensor emptyTensor(const TensorType& type)
{
    return {{type.element, type.shape, {}}, std::vector<std::byte>(static_cast<std::size_t>(type.bytes()))};
}

HostTensor filledTensor(const TensorType& type, const Fill& fill, Rng& rng)
{
    HostTensor tensor = emptyTensor(type);
    const auto count = static_cast<std::size_t>(type.elements());
    if (count == 0)
        return tensor;
    // A scalar and a vector have one row each. Long rows are drawn in parts.
    constexpr std::size_t part = 65536;
    const auto& shape = type.shape;
    const std::size_t columns = shape.empty() ? 1 : static_cast<std::size_t>(shape.back());
    const std::int64_t rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
    const bool whole =
        std::ranges::find(fill.then, FillOperation::Softmax, &FillStep::operation) != fill.then.end();
    std::vector<double> drawn(whole ? columns : std::min(columns, part));
    for (std::size_t at = 0; at < count;) {
        const std::size_t column = at % columns, here = std::min(drawn.size(), columns - column);
        fillRow(fill, static_cast<std::int64_t>(at / columns) % rows, static_cast<std::int64_t>(column),
                std::span(drawn).first(here), rng);
        for (std::size_t i = 0; i < here; ++i, ++at)
            setElement(tensor, at, drawn[i]);
    }
    return tensor;
}

double elementOf(const HostTensor& tensor, std::size_t index)
{
    switch (tensor.type.element) {
    case TensorElement::F64:
        return load<double>(tensor, index);
    case TensorElement::F32:
        return load<float>(tensor, index);
    case TensorElement::F16:
        return fromHalfBits(load<std::uint16_t>(tensor, index));
    case TensorElement::BF16:
        return fromBrainBits(load<std::uint16_t>(tensor, index));
    case TensorElement::I64:
        return static_cast<double>(load<std::int64_t>(tensor, index));
    case TensorElement::I32:
        return load<std::int32_t>(tensor, index);
    case TensorElement::U8:
    case TensorElement::Bool:
        return load<std::uint8_t>(tensor, index);
    }
    return 0;
}

void setElement(HostTensor& tensor, std::size_t index, double value)
{
    switch (tensor.type.element) {
    case TensorElement::F64:
        return store(tensor, index, value);
    case TensorElement::F32:
        return store(tensor, index, static_cast<float>(value));
    case TensorElement::F16:
        return store(tensor, index, halfBits(value));
    case TensorElement::BF16:
        return store(tensor, index, brainBits(value));
    case TensorElement::I64:
        return store(tensor, index, wholeOf<std::int64_t>(value));
    case TensorElement::I32:
        return store(tensor, index, wholeOf<std::int32_t>(value));
    case TensorElement::U8:
        return store(tensor, index, wholeOf<std::uint8_t>(value));
    case TensorElement::Bool:
        return store(tensor, index, std::uint8_t(value != 0));
    }
}

Result<HostTensors> parseTensors(std::string_view bytes, const std::string& file, std::uint64_t limit)
{
    SPARSERL_TRY(const auto header, readSafeTensorsHeader(bytes, bytes.size(), file));
    return tensorsOf(header, file, limit, [&](const TensorEntry& entry, std::byte* into) {
        if (entry.end > entry.begin)
            std::memcpy(into, bytes.data() + header.dataAt + entry.begin, entry.end - entry.begin);
    });
}

std::string formatTensors(const HostTensors& tensors)
{
    SafeTensorsHeader header;
    std::uint64_t at = 0;
    for (const auto& [name, tensor] : tensors) {
        header.tensors.push_back({name, std::string(nameOf(tensor.type.element)), tensor.type.shape, at,
                                  at + tensor.bytes.size()});
        at += tensor.bytes.size();
    }
    std::string bytes = formatSafeTensorsHeader(header);
    bytes.reserve(bytes.size() + at);
    for (const auto& [name, tensor] : tensors)
        bytes.append(reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size());
    return bytes;
}

} // namespace sparserl
