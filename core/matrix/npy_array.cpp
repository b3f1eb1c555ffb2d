// SPDX-License-Identifier: Apache-2.0
#include "matrix/npy_array.h"

#include "base/printable.h"
#include "matrix/number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace sparserl {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

/// The header, a dictionary of Python with three keys: {'descr': '<f8', 'fortran_order': False, 'shape':
/// (3,), }
class HeaderReader
{
public:
    explicit HeaderReader(std::string_view text)
        : m_text(text)
    {
    }

    bool read(NpyArray& array, std::string& type)
    {
        bool descr = false, order = false, shape = false;
        if (!take('{'))
            return false;
        while (!take('}')) {
            std::string key;
            if (!quoted(key) || !take(':'))
                return false;
            if (key == "descr" && !descr) {
                descr = quoted(type);
                if (!descr) { // a list: fields of a record
                    type = "a record";
                    return true;
                }
            } else if (key == "fortran_order" && !order) {
                array.fortran = word("True");
                order = array.fortran || word("False");
            } else if (key == "shape" && !shape) {
                shape = tuple(array.shape);
            } else {
                return false;
            }
            if (!take(',') && peek() != '}')
                return false;
        }
        return descr && order && shape;
    }

private:
    char peek()
    {
        while (m_at < m_text.size() && (isBlank(m_text[m_at]) || m_text[m_at] == '\n'))
            ++m_at;
        return m_at < m_text.size() ? m_text[m_at] : '\0';
    }
    bool take(char c)
    {
        const bool found = peek() == c;
        m_at += found ? 1 : 0;
        return found;
    }
    bool word(std::string_view text)
    {
        peek();
        const bool found = m_text.substr(m_at).starts_with(text);
        m_at += found ? text.size() : 0;
        return found;
    }
    bool quoted(std::string& out)
    {
        const char quote = peek();
        if (quote != '\'' && quote != '"')
            return false;
        const auto end = m_text.find(quote, m_at + 1);
        if (end == std::string_view::npos)
            return false;
        out = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return true;
    }
    bool tuple(std::vector<std::int64_t>& out)
    {
        if (!take('('))
            return false;
        while (!take(')')) {
            std::int64_t number = 0;
            std::size_t digits = 0;
            while (isDigit(peek()) && digits++ < 18)
                number = number * 10 + (m_text[m_at++] - '0');
            take('L'); // of Python 2
            if (digits == 0 || digits > 18 || out.size() == 32)
                return false;
            out.push_back(number);
            if (!take(',') && peek() != ')')
                return false;
        }
        return true;
    }

    std::string_view m_text;
    std::size_t m_at = 0;
};

/// '<f8' and the like; a sentence's reason where it is none that is read.
std::string setType(NpyArray& array, const std::string& type)
{
    std::string_view text = type;
    const char order = text.empty() ? ' ' : text.front();
    if (order == '<' || order == '>' || order == '|' || order == '=')
        text.remove_prefix(1);
    array.bigEndian = order == '>';
    array.kind = text.empty() ? ' ' : text.front();
    text.remove_prefix(text.empty() ? 0 : 1);
    std::int64_t size = 0;
    const std::string digits = std::string(text) + " ";
    const char* at = digits.c_str();
    const bool sized = text.size() < 10 && parseUnsigned(at, size) && *at == ' ' && at[1] == '\0';
    array.size = array.kind == 'U' ? 4 * size : size;
    if (array.kind == 'O')
        return "it holds objects of Python (a pickle, which would run whatever its author wrote)";
    const auto in = [&](std::initializer_list<std::int64_t> sizes) {
        return std::find(sizes.begin(), sizes.end(), size) != sizes.end();
    };
    const bool known = sized && ((array.kind == 'b' && size == 1) ||
                                 ((array.kind == 'i' || array.kind == 'u') && in({1, 2, 4, 8})) ||
                                 (array.kind == 'f' && in({2, 4, 8})) || (array.kind == 'c' && in({8, 16})) ||
                                 ((array.kind == 'S' || array.kind == 'U') && size > 0 && size <= 64));
    if (!known)
        return fmt::format("its elements are of the type \"{}\", which is not read",
                           shortened(printableLine(type), 40));
    return {};
}

template <typename T>
T load(const NpyArray& array, std::int64_t at)
{
    std::array<char, sizeof(T)> bytes;
    std::memcpy(bytes.data(), array.data.data() + at * array.size, sizeof(T));
    if (array.bigEndian == (std::endian::native == std::endian::little))
        std::reverse(bytes.begin(), bytes.end());
    T value;
    std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
}

/// IEEE 754 binary16.
double half(std::uint16_t bits)
{
    const int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = 0;
    if (exponent == 31)
        value = mantissa == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
    else
        value = exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
    return (bits & 0x8000) != 0 ? -value : value;
}

} // namespace

bool looksNpy(std::string_view head)
{
    return head.starts_with(magic);
}

std::int64_t NpyArray::count() const
{
    std::int64_t elements = 1;
    for (const std::int64_t extent : shape)
        elements *= extent; // parseNpy has seen that the product is that of bytes
    return elements;
}

double NpyArray::real(std::int64_t at) const
{
    if (kind != 'f')
        return kind == 'u' && size == 8 ? static_cast<double>(load<std::uint64_t>(*this, at))
                                        : static_cast<double>(integer(at));
    return size == 2   ? half(load<std::uint16_t>(*this, at))
           : size == 4 ? static_cast<double>(load<float>(*this, at))
                       : load<double>(*this, at);
}

std::int64_t NpyArray::integer(std::int64_t at) const
{
    const bool isSigned = kind == 'i';
    switch (size) {
    case 1:
        return kind == 'b' ? (load<std::uint8_t>(*this, at) != 0 ? 1 : 0)
               : isSigned  ? load<std::int8_t>(*this, at)
                           : load<std::uint8_t>(*this, at);
    case 2:
        return isSigned ? load<std::int16_t>(*this, at) : load<std::uint16_t>(*this, at);
    case 4:
        return isSigned ? std::int64_t(load<std::int32_t>(*this, at))
                        : std::int64_t(load<std::uint32_t>(*this, at));
    default:
        if (isSigned)
            return load<std::int64_t>(*this, at);
        return static_cast<std::int64_t>(std::min<std::uint64_t>(load<std::uint64_t>(*this, at),
                                                                 std::numeric_limits<std::int64_t>::max()));
    }
}

std::string NpyArray::text() const
{
    std::string out;
    if (count() < 1)
        return out;
    const std::int64_t step = kind == 'U' ? 4 : 1;
    for (std::int64_t i = 0; i < size; i += step) {
        const char c = data[static_cast<std::size_t>(i + (kind == 'U' && bigEndian ? 3 : 0))];
        if (c == '\0')
            break;
        out += c;
    }
    return out;
}

Result<NpyArray> parseNpy(std::string_view bytes, const std::string& name)
{
    const auto damaged = [&](std::string what) {
        return failAt(name, 0, "this file of NumPy is damaged: " + std::move(what),
                      "Download or copy it again");
    };
    if (!looksNpy(bytes) || bytes.size() < 10)
        return damaged("it has no header");
    const auto byte = [&](std::size_t at) { return std::size_t(static_cast<unsigned char>(bytes[at])); };
    const std::size_t version = byte(6);
    if (version < 1 || version > 3)
        return failAt(
            name, 0,
            fmt::format("this file of NumPy has the format {}.{}, which is not known", version, byte(7)),
            "Save it with NumPy's `save` or SciPy's `save_npz`");
    const std::size_t begin = version == 1 ? 10 : 12;
    if (bytes.size() < begin)
        return damaged("it has no header");
    const std::size_t length =
        byte(8) + (byte(9) << 8) + (version == 1 ? 0 : (byte(10) << 16) + (byte(11) << 24));
    if (length > bytes.size() - begin)
        return damaged("its header is cut off");
    NpyArray array;
    std::string type;
    if (!HeaderReader(bytes.substr(begin, length)).read(array, type))
        return damaged("its header is not one of NumPy");
    if (const std::string reason = setType(array, type); !reason.empty())
        return failAt(name, 0, "this file of NumPy cannot be read: " + reason,
                      "Save plain numbers, such as with `astype('float32')`");
    array.data = bytes.substr(begin + length);
    std::int64_t needed = array.size;
    for (const std::int64_t extent : array.shape) {
        if (extent != 0 && needed > std::numeric_limits<std::int64_t>::max() / extent)
            return damaged("it promises more elements than there can be");
        needed *= extent;
    }
    if (std::find(array.shape.begin(), array.shape.end(), 0) != array.shape.end())
        needed = 0;
    if (static_cast<std::uint64_t>(needed) > array.data.size())
        return damaged(fmt::format("it promises {} bytes and has {}", needed, array.data.size()));
    return array;
}

} // namespace sparserl
