// SPDX-License-Identifier: Apache-2.0
#include "policy/files/gguf_header.h"

#include "base/printable.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <unordered_set>

namespace sparserl {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they stand");

namespace {

const char* const remedy = "The file is damaged or not a GGUF file; copy it again or take another";

constexpr std::uint64_t longestKey = 256, longestName = 128, mostDimensions = 4;
constexpr std::uint64_t mostValues = 1 << 16, mostTensors = 1 << 16;
constexpr std::uint64_t usualAlignment = 32;
constexpr std::uint64_t mostNumbers = std::uint64_t(1) << 60; // their bytes fit into 63 bits

enum ValueType : std::uint32_t
{
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    Text,
    Array,
    U64,
    I64,
    F64
};

/// Bytes of a value of a fixed size; 0 for others.
std::uint64_t bytesOf(std::uint32_t type)
{
    switch (type) {
    case U8:
    case I8:
    case Bool:
        return 1;
    case U16:
    case I16:
        return 2;
    case U32:
    case I32:
    case F32:
        return 4;
    case U64:
    case I64:
    case F64:
        return 8;
    default:
        return 0;
    }
}

template <typename T>
T copied(std::string_view bytes)
{
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
}

/// The shortest decimal number that is this one in single precision.
double decimal(float value)
{
    char text[32];
    const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
    double wide = static_cast<double>(value);
    std::from_chars(std::begin(text), end, wide);
    return wide;
}

/// A whole number; nothing where it has more than 63 bits. `type` is one of integers.
std::optional<std::int64_t> wholeNumber(std::uint32_t type, std::string_view bytes)
{
    switch (type) {
    case U8:
        return copied<std::uint8_t>(bytes);
    case I8:
        return copied<std::int8_t>(bytes);
    case U16:
        return copied<std::uint16_t>(bytes);
    case I16:
        return copied<std::int16_t>(bytes);
    case U32:
        return copied<std::uint32_t>(bytes);
    case I32:
        return copied<std::int32_t>(bytes);
    case I64:
        return copied<std::int64_t>(bytes);
    default:
        break;
    }
    const auto value = copied<std::uint64_t>(bytes);
    if (value > std::uint64_t(std::numeric_limits<std::int64_t>::max()))
        return std::nullopt;
    return static_cast<std::int64_t>(value);
}

/// Names come from the file and may hold anything.
std::string shown(std::string_view name)
{
    constexpr std::size_t most = 100;
    return std::string(name.substr(0, most)) + (name.size() > most ? "..." : "");
}

/// Reads the bytes of a file in order.
class HeaderReader
{
public:
    HeaderReader(std::string_view all, const std::string& file)
        : m_all(all)
        , m_file(file)
    {
    }

    Result<GgufHeader> read()
    {
        SPARSERL_CHECK(start());
        for (std::uint64_t i = 0; i < m_values; ++i)
            SPARSERL_CHECK(value());
        SPARSERL_CHECK(alignment());
        for (std::uint64_t i = 0; i < m_tensors; ++i)
            SPARSERL_CHECK(tensor());
        SPARSERL_CHECK(places());
        return std::move(m_header);
    }

private:
    tl::unexpected<Error> wrong(const std::string& what) const { return failAt(m_file, 0, what, remedy); }

    Result<std::string_view> take(std::uint64_t bytes)
    {
        if (bytes > m_all.size() - m_at)
            return wrong(
                fmt::format("the header ends after {} bytes of the file, within a value", m_all.size()));
        const std::string_view taken = m_all.substr(m_at, bytes);
        m_at += bytes;
        return taken;
    }
    template <typename T>
    Result<T> number()
    {
        SPARSERL_TRY(const auto bytes, take(sizeof(T)));
        return copied<T>(bytes);
    }
    Result<std::string_view> text()
    {
        SPARSERL_TRY(const auto length, number<std::uint64_t>());
        return take(length);
    }
    Result<std::string_view> name(const char* what, std::uint64_t longest)
    {
        SPARSERL_TRY(const auto name, text());
        if (name.empty() || name.size() > longest || !isUtf8(name))
            return wrong(
                fmt::format("the name of a {} is empty, no UTF-8 or has more than {} bytes", what, longest));
        return name;
    }

    Status start()
    {
        constexpr std::string_view magic = "GGUF";
        SPARSERL_TRY(const auto first, take(magic.size()));
        if (first != magic)
            return wrong("this is not a GGUF file");
        SPARSERL_TRY(const auto version, number<std::uint32_t>());
        if (version == 0 || (version & 0xFFFF) == 0)
            return failAt(m_file, 0, "the numbers of this GGUF file are big-endian, which is not read",
                          "Convert it to a little-endian one");
        if (version != 2 && version != 3)
            return failAt(m_file, 0,
                          fmt::format("this GGUF file is of version {}; 2 and 3 are read", version),
                          "Convert the model again");
        SPARSERL_TRY(m_tensors, number<std::uint64_t>());
        SPARSERL_TRY(m_values, number<std::uint64_t>());
        if (m_tensors > mostTensors || m_values > mostValues)
            return wrong(fmt::format("the header claims {} tensors and {} values", m_tensors, m_values));
        return {};
    }

    Status value()
    {
        SPARSERL_TRY(const auto key, name("value", longestKey));
        SPARSERL_TRY(const auto type, number<std::uint32_t>());
        SPARSERL_TRY(auto value, valueOf(key, type));
        if (!m_header.values.emplace(key, value).second)
            return wrong(fmt::format("the value {} is given twice", shown(key)));
        return {};
    }

    Result<GgufValue> valueOf(std::string_view key, std::uint32_t type)
    {
        if (type == Text) {
            SPARSERL_TRY(const auto held, text());
            return held;
        }
        if (type == Array) {
            SPARSERL_TRY(const auto held, array(key));
            return held;
        }
        const std::uint64_t size = bytesOf(type);
        if (size == 0)
            return wrong(fmt::format("the value {} has the unknown type {}", shown(key), type));
        SPARSERL_TRY(const auto bytes, take(size));
        if (type == Bool)
            return copied<std::uint8_t>(bytes) != 0;
        if (type == F32)
            return decimal(copied<float>(bytes));
        if (type == F64)
            return copied<double>(bytes);
        const auto whole = wholeNumber(type, bytes);
        if (!whole)
            return wrong(fmt::format("the value {} has more than 63 bits", shown(key)));
        return *whole;
    }

    Result<GgufArray> array(std::string_view key)
    {
        GgufArray array;
        SPARSERL_TRY(array.type, number<std::uint32_t>());
        SPARSERL_TRY(array.count, number<std::uint64_t>());
        if (array.type == Array)
            return wrong(fmt::format("the value {} is a list of lists", shown(key)));
        const std::size_t from = m_at;
        if (array.type == Text) {
            array.of = GgufArray::Of::Texts;
            for (std::uint64_t i = 0; i < array.count; ++i)
                SPARSERL_CHECK(text());
        } else {
            const std::uint64_t size = bytesOf(array.type);
            if (size == 0)
                return wrong(
                    fmt::format("the value {} is a list of the unknown type {}", shown(key), array.type));
            if (array.count > m_all.size() / size)
                return wrong(fmt::format("the value {} claims {} numbers", shown(key), array.count));
            array.of = array.type == Bool ? GgufArray::Of::Flags : GgufArray::Of::Numbers;
            SPARSERL_CHECK(take(array.count * size));
        }
        array.bytes = m_all.substr(from, m_at - from);
        return array;
    }

    Status alignment()
    {
        const auto found = m_header.integer("general.alignment");
        if (!found)
            return wrong(found.error().what);
        const auto given = *found;
        if (!given)
            return {};
        constexpr std::int64_t most = 1 << 20;
        if (*given < 1 || *given > most || !std::has_single_bit(static_cast<std::uint64_t>(*given)))
            return wrong(fmt::format("general.alignment is {}", *given));
        m_alignment = static_cast<std::uint64_t>(*given);
        return {};
    }

    Status tensor()
    {
        SPARSERL_TRY(const auto name, this->name("tensor", longestName));
        const auto wrong = [&](const std::string& why) {
            return this->wrong("tensor " + shown(name) + " " + why);
        };
        if (!m_names.insert(name).second)
            return wrong("is given twice");
        SPARSERL_TRY(const auto dimensions, number<std::uint32_t>());
        if (dimensions == 0 || dimensions > mostDimensions)
            return wrong(fmt::format("has {} dimensions", dimensions));
        GgufTensor tensor;
        tensor.name = name;
        std::uint64_t numbers = 1;
        for (std::uint32_t i = 0; i < dimensions; ++i) {
            SPARSERL_TRY(const auto extent, number<std::uint64_t>());
            if (extent == 0 || extent > std::uint64_t(std::numeric_limits<std::int64_t>::max()) ||
                __builtin_mul_overflow(numbers, extent, &numbers) || numbers > mostNumbers)
                return wrong("has a shape with a 0, or one beyond what 64 bits address");
            tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(extent));
        }
        SPARSERL_TRY(const auto type, number<std::uint32_t>());
        tensor.type = static_cast<GgufType>(type);
        const GgufBlock block = blockOf(tensor.type);
        if (block.numbers == 0)
            return failAt(
                m_file, 0,
                fmt::format("tensor {} is stored as {}, which is not read", shown(name), nameOf(tensor.type)),
                "Take the model in F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q4_K or Q6_K");
        if (static_cast<std::uint64_t>(tensor.shape.back()) % block.numbers != 0)
            return wrong(fmt::format("has rows of {} numbers, and {} stores {} together", tensor.shape.back(),
                                     nameOf(tensor.type), block.numbers));
        SPARSERL_TRY(tensor.begin, number<std::uint64_t>());
        tensor.end = numbers / block.numbers * block.bytes; // its size, until it has a place
        m_header.tensors.push_back(std::move(tensor));
        return {};
    }

    std::uint64_t aligned(std::uint64_t at) const
    {
        return (at + m_alignment - 1) / m_alignment * m_alignment;
    }

    /// Makes places in the file of what follows the header.
    Status places()
    {
        const std::uint64_t dataAt = aligned(m_at), fileBytes = m_all.size();
        std::uint64_t at = 0;
        for (GgufTensor& tensor : m_header.tensors) {
            if (tensor.begin != at)
                return wrong(fmt::format("tensor {} starts at {} where {} is expected", shown(tensor.name),
                                         tensor.begin, at));
            const std::uint64_t bytes = tensor.end;
            if (dataAt > fileBytes || at > fileBytes - dataAt || bytes > fileBytes - dataAt - at)
                return wrong("tensor " + shown(tensor.name) + " lies outside the file");
            tensor.begin = dataAt + at;
            tensor.end = tensor.begin + bytes;
            at = aligned(at + bytes);
        }
        const std::uint64_t end = m_header.tensors.empty() ? m_at : m_header.tensors.back().end;
        if (fileBytes > aligned(end))
            return wrong(fmt::format("{} bytes follow the last tensor", fileBytes - end));
        return {};
    }

    std::string_view m_all;
    const std::string& m_file;
    std::size_t m_at = 0;
    std::uint64_t m_tensors = 0, m_values = 0, m_alignment = usualAlignment;
    std::unordered_set<std::string_view> m_names;
    GgufHeader m_header;
};

tl::unexpected<Error> otherKind(std::string_view key, const char* kind)
{
    return fail(fmt::format("the value {} is not {}", key, kind), remedy);
}

} // namespace

std::uint64_t GgufTensor::numbers() const
{
    std::uint64_t all = 1;
    for (const std::int64_t extent : shape)
        all *= static_cast<std::uint64_t>(extent);
    return all;
}

bool GgufHeader::hasTensor(std::string_view name) const
{
    return std::ranges::any_of(tensors, [&](const GgufTensor& tensor) { return tensor.name == name; });
}

Error GgufHeader::missing(std::string_view key)
{
    return {fmt::format("the value {} is missing", key), {}, 0, "Convert the model again"};
}

Result<std::optional<bool>> GgufHeader::flag(std::string_view key) const
{
    const auto found = values.find(key);
    if (found == values.end())
        return std::nullopt;
    if (const auto* held = std::get_if<bool>(&found->second))
        return *held;
    return otherKind(key, "true or false");
}

Result<std::optional<std::int64_t>> GgufHeader::integer(std::string_view key) const
{
    const auto found = values.find(key);
    if (found == values.end())
        return std::nullopt;
    if (const auto* held = std::get_if<std::int64_t>(&found->second))
        return *held;
    return otherKind(key, "a whole number");
}

Result<std::optional<double>> GgufHeader::number(std::string_view key) const
{
    const auto found = values.find(key);
    if (found == values.end())
        return std::nullopt;
    if (const auto* held = std::get_if<double>(&found->second); held != nullptr && std::isfinite(*held))
        return *held;
    if (const auto* held = std::get_if<std::int64_t>(&found->second))
        return static_cast<double>(*held);
    return otherKind(key, "a finite number");
}

Result<std::optional<std::string_view>> GgufHeader::text(std::string_view key) const
{
    const auto found = values.find(key);
    if (found == values.end())
        return std::nullopt;
    if (const auto* held = std::get_if<std::string_view>(&found->second); held != nullptr && isUtf8(*held))
        return *held;
    return otherKind(key, "a text in UTF-8");
}

Result<std::optional<std::vector<std::string_view>>> GgufHeader::texts(std::string_view key) const
{
    const auto found = values.find(key);
    if (found == values.end())
        return std::nullopt;
    const auto* held = std::get_if<GgufArray>(&found->second);
    if (held == nullptr || held->of != GgufArray::Of::Texts)
        return otherKind(key, "a list of texts");
    std::vector<std::string_view> texts;
    for (std::size_t at = 0; at < held->bytes.size();) {
        const auto length = copied<std::uint64_t>(held->bytes.substr(at, sizeof(std::uint64_t)));
        at += sizeof length;
        texts.push_back(held->bytes.substr(at, length));
        at += length;
    }
    return texts;
}

Result<std::optional<std::vector<std::int64_t>>> GgufHeader::integers(std::string_view key) const
{
    const auto found = values.find(key);
    if (found == values.end())
        return std::nullopt;
    const auto* held = std::get_if<GgufArray>(&found->second);
    if (held == nullptr || held->of != GgufArray::Of::Numbers || held->type == F32 || held->type == F64)
        return otherKind(key, "a list of whole numbers");
    const std::uint64_t size = bytesOf(held->type);
    std::vector<std::int64_t> numbers;
    for (std::uint64_t i = 0; i < held->count; ++i) {
        const auto whole = wholeNumber(held->type, held->bytes.substr(i * size, size));
        if (!whole)
            return otherKind(key, "a list of whole numbers");
        numbers.push_back(*whole);
    }
    return numbers;
}

Result<GgufHeader> readGgufHeader(std::string_view all, const std::string& file)
{
    return HeaderReader(all, file).read();
}

} // namespace sparserl
