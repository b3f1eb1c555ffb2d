// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json_exact.h"
#include "base/json_number.h"

#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Each record type describes its fields once. The description drives both reading and writing:
///
///     template <>
///     struct Fields<Timing>
///     {
///         static void of(auto& r, auto& field)
///         {
///             field("median", r.median);
///             field("note", r.note, writtenIf(!r.note.empty()));
///         }
///     };
///
/// A field missing from the JSON keeps its default. An empty std::optional is not written. In every record,
/// NaN and the infinities are stored as the texts "nan", "inf" and "-inf" (jsonFromNumber).
namespace sparserl {

template <typename Record>
struct Fields;

template <typename T>
concept Described = requires
{
    sizeof(Fields<std::remove_cv_t<T>>);
};

/// Whether a field is written, and whether a reader requires it.
struct FieldRule
{
    bool written = true;
    bool required = false;
    bool known = false; ///< A reader refuses the record if it does not know the value.
};
constexpr FieldRule writtenIf(bool condition)
{
    return {condition, false, false};
}
constexpr FieldRule requiredField()
{
    return {true, true, false};
}
/// A field that changes the meaning of its record. Even lenient readers refuse a value from a newer version.
constexpr FieldRule knownField(bool written)
{
    return {written, false, true};
}

/// How a reader treats JSON that differs from the writer's output.
struct Reading
{
    bool missing = true;    ///< Fields may be missing.
    bool otherType = false; ///< A value of another type counts as missing. If false, the reader throws
                            ///< nlohmann::json::exception.
    bool notFinite = true;  ///< Numbers may be NaN or infinite.
};
/// For journals and checkpoints: reads all readable fields.
inline constexpr Reading readLeniently{true, true, true};
inline constexpr Reading readRecord{true, false, true}; ///< Accepts old records, but not damaged records.
/// For messages from another process, which may be hostile.
inline constexpr Reading readMessage{false, false, false};

/// Adapts `outer` to a record that is valid only if it is complete. The Fields of that record contain `static
/// constexpr bool whole = true`.
template <typename Record>
constexpr Reading readingOf(Reading outer)
{
    if constexpr (requires { Fields<Record>::whole; })
        return {false, false, outer.notFinite};
    return outer;
}

/// The JSON representation of a type: `static nlohmann::json write(const T&)` and `static void read(const
/// nlohmann::json&, T&, Reading)`. The latter throws nlohmann::json::exception.
template <typename T>
struct FieldCodec;

/// Stores a record, a list of records or an optional record as an array of its fields, in order.
template <typename T>
struct AsRow
{
    T& value;
};
template <typename T>
AsRow(T&) -> AsRow<T>;

template <typename T>
nlohmann::json fieldToJson(const T& value)
{
    return FieldCodec<std::remove_cv_t<T>>::write(value);
}

[[noreturn]] inline void refuseField(const std::string& why, const nlohmann::json& json)
{
    throw nlohmann::json::type_error::create(302, why, &json);
}

/// Writes described fields into an object.
class FieldWriter
{
public:
    explicit FieldWriter(nlohmann::json& json)
        : m_json(json)
    {
    }
    template <typename T>
    void operator()(const char* key, const T& member, FieldRule rule = {})
    {
        if (rule.written)
            m_json[key] = fieldToJson(member);
    }
    template <typename T>
    void operator()(const char* key, const std::optional<T>& member, FieldRule rule = {})
    {
        if (rule.written && member)
            m_json[key] = fieldToJson(*member);
    }
    template <typename T>
    void operator()(const char* key, AsRow<T> member, FieldRule rule = {})
    {
        if constexpr (requires { member.value.has_value(); }) {
            if (rule.written && member.value)
                m_json[key] = fieldToJson(AsRow{*member.value});
        } else if (rule.written) {
            m_json[key] = fieldToJson(member);
        }
    }
    /// Writes a value that is derived from other fields. It is for human readers and is never read back.
    template <typename T>
    void derived(const char* key, const T& value)
    {
        m_json[key] = fieldToJson(value);
    }

private:
    nlohmann::json& m_json;
};

/// Reads described fields from an object.
class FieldReader
{
public:
    FieldReader(const nlohmann::json& json, Reading reading)
        : m_json(json)
        , m_reading(reading)
    {
    }
    template <typename T>
    void operator()(const char* key, T&& member, FieldRule rule = {})
    {
        using Member = std::remove_cvref_t<T>;
        const auto found = m_json.find(key);
        if (found == m_json.end()) {
            if (rule.required || (!m_reading.missing && !optional<Member>))
                m_json.at(key); // Throws an exception that names the key.
            return;
        }
        if (!m_reading.otherType || rule.required || rule.known)
            return FieldCodec<Member>::read(*found, member, m_reading);
        try {
            if constexpr (std::is_lvalue_reference_v<T>) {
                Member value{};
                FieldCodec<Member>::read(*found, value, m_reading);
                member = std::move(value);
            } else {
                FieldCodec<Member>::read(*found, member, m_reading);
            }
        } catch (const nlohmann::json::exception&) { // NOLINT(bugprone-empty-catch): it keeps its default.
        }
    }
    template <typename T>
    void derived(const char*, const T&)
    {
    }

private:
    template <typename T>
    static constexpr bool optional = false;

    const nlohmann::json& m_json;
    Reading m_reading;
};
template <typename T>
inline constexpr bool FieldReader::optional<std::optional<T>> = true;
template <typename T>
inline constexpr bool FieldReader::optional<AsRow<std::optional<T>>> = true;

/// Appends described fields to an array.
struct RowWriter
{
    nlohmann::json& row;
    template <typename T>
    void operator()(const char*, const T& member, FieldRule = {})
    {
        row.push_back(fieldToJson(member));
    }
};

/// Reads described fields from an array.
struct RowReader
{
    const nlohmann::json& row;
    Reading reading;
    std::size_t column = 0;
    template <typename T>
    void operator()(const char*, T&& member, FieldRule = {})
    {
        FieldCodec<std::remove_cvref_t<T>>::read(row.at(column++), member, reading);
    }
};

/// Returns a described record as a JSON object.
template <Described Record>
nlohmann::json writeFields(const Record& record)
{
    nlohmann::json json = nlohmann::json::object();
    FieldWriter writer(json);
    Fields<Record>::of(record, writer);
    return json;
}

/// The inverse of writeFields(). Throws nlohmann::json::exception for JSON that `reading` does not accept.
template <Described Record>
void readFields(const nlohmann::json& json, Record& record, Reading reading)
{
    FieldReader reader(json, readingOf<Record>(reading));
    Fields<Record>::of(record, reader);
}

template <typename T>
requires std::same_as<T, bool> || std::integral<T> || std::same_as<T, std::string> ||
    std::same_as<T, nlohmann::json>
struct FieldCodec<T>
{
    static nlohmann::json write(const T& value) { return value; }
    static void read(const nlohmann::json& json, T& value, Reading) { jsonExactTo(json, value); }
};

template <std::floating_point T>
struct FieldCodec<T>
{
    static nlohmann::json write(T value) { return jsonFromNumber(static_cast<double>(value)); }
    static void read(const nlohmann::json& json, T& value, Reading reading)
    {
        const auto number = reading.notFinite || json.is_number() ? numberFromJson(json) : std::nullopt;
        if (!number)
            refuseField("a number was expected", json);
        value = static_cast<T>(*number);
    }
};

/// An enumeration that has nameOf and `std::optional<T> enumFromName(std::string_view, T)` is stored by name.
/// An enumeration that has `constexpr T lastOf(T)` is stored as a number.
template <typename T>
requires std::is_enum_v<T>
struct FieldCodec<T>
{
    static nlohmann::json write(T value)
    {
        if constexpr (requires { lastOf(value); })
            return static_cast<int>(value);
        else
            return nameOf(value);
    }
    static void read(const nlohmann::json& json, T& value, Reading)
    {
        if constexpr (requires { lastOf(value); }) {
            const int number = jsonExact<int>(json);
            if (number < 0 || number > static_cast<int>(lastOf(value)))
                throw nlohmann::json::out_of_range::create(
                    401, "unknown enumerator " + std::to_string(number), &json);
            value = static_cast<T>(number);
        } else {
            const auto& name = json.template get_ref<const std::string&>();
            const auto known = enumFromName(name, value);
            if (!known)
                refuseField("\"" + name + "\" is unknown", json);
            value = *known;
        }
    }
};

template <Described T>
struct FieldCodec<T>
{
    static nlohmann::json write(const T& value) { return writeFields(value); }
    static void read(const nlohmann::json& json, T& value, Reading reading)
    {
        readFields(json, value, reading);
    }
};

template <typename T>
struct FieldCodec<std::optional<T>>
{
    static void read(const nlohmann::json& json, std::optional<T>& value, Reading reading)
    {
        FieldCodec<T>::read(json, value.emplace(), reading);
    }
};

template <typename T>
struct FieldCodec<std::vector<T>>
{
    static nlohmann::json write(const std::vector<T>& values)
    {
        auto list = nlohmann::json::array();
        for (const auto& value : values)
            list.push_back(fieldToJson(value));
        return list;
    }
    static void read(const nlohmann::json& json, std::vector<T>& values, Reading reading)
    {
        values.clear();
        for (const auto& element : json.template get_ref<const nlohmann::json::array_t&>())
            FieldCodec<T>::read(element, values.emplace_back(), reading);
    }
};

template <typename T, std::size_t Size>
struct FieldCodec<std::array<T, Size>>
{
    static nlohmann::json write(const std::array<T, Size>& values)
    {
        auto list = nlohmann::json::array();
        for (const auto& value : values)
            list.push_back(fieldToJson(value));
        return list;
    }
    static void read(const nlohmann::json& json, std::array<T, Size>& values, Reading reading)
    {
        if (json.size() != Size)
            refuseField("a list of " + std::to_string(Size) + " was expected", json);
        for (std::size_t i = 0; i < Size; ++i)
            FieldCodec<T>::read(json.at(i), values[i], reading);
    }
};

template <typename T>
struct FieldCodec<std::map<std::string, T>>
{
    static nlohmann::json write(const std::map<std::string, T>& values)
    {
        auto object = nlohmann::json::object();
        for (const auto& [name, value] : values)
            object[name] = fieldToJson(value);
        return object;
    }
    static void read(const nlohmann::json& json, std::map<std::string, T>& values, Reading reading)
    {
        values.clear();
        for (const auto& [name, element] : json.template get_ref<const nlohmann::json::object_t&>()) {
            T value{};
            try {
                FieldCodec<T>::read(element, value, reading);
            } catch (const nlohmann::json::exception&) {
                if (reading.otherType)
                    continue;
                throw;
            }
            values.emplace(name, std::move(value));
        }
    }
};

template <typename T>
struct FieldCodec<AsRow<T>>
{
    static nlohmann::json write(AsRow<T> row)
    {
        auto list = nlohmann::json::array();
        if constexpr (Described<T>) {
            RowWriter writer{list};
            Fields<std::remove_cv_t<T>>::of(row.value, writer);
        } else {
            for (auto& one : row.value)
                list.push_back(fieldToJson(AsRow{one}));
        }
        return list;
    }
    static void read(const nlohmann::json& json, AsRow<T> row, Reading reading)
    {
        if constexpr (Described<T>) {
            RowReader reader{json, reading};
            Fields<T>::of(row.value, reader);
        } else if constexpr (requires { row.value.has_value(); }) {
            auto& value = row.value.emplace();
            read(json, AsRow{value}, reading);
        } else {
            row.value.clear();
            for (const auto& element : json.template get_ref<const nlohmann::json::array_t&>()) {
                auto& one = row.value.emplace_back();
                read(element, AsRow{one}, reading);
            }
        }
    }
    template <typename Other>
    static void read(const nlohmann::json& json, AsRow<Other> row, Reading reading)
    {
        FieldCodec<AsRow<Other>>::read(json, row, reading);
    }
};

} // namespace sparserl
