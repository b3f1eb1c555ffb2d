// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "base/json.h"

#include <cmath>
#include <limits>
#include <random>
#include <set>

/// What must hold of every described record (base/fields.h): checks that know nothing of a record but its
/// description.
namespace sparserl::tests {

/// As it comes back from a file or from another process.
inline nlohmann::json throughText(const nlohmann::json& json)
{
    return *parseJson(dumpJson(json));
}

using Random = std::mt19937_64;

/// Enumerators of an enumeration that has names: 0 to count - 1.
template <typename Enum>
constexpr int enumerators = 0;

/// Converts to anything: how many of it an aggregate takes is how many members it has.
struct AnyMember
{
    template <typename T>
    operator T() const;
};
template <typename T, typename... Members>
consteval std::size_t memberCount()
{
    if constexpr (requires { T{Members{}..., AnyMember{}}; })
        return memberCount<T, Members..., AnyMember>();
    else
        return sizeof...(Members);
}

/// What a field of a description stands for: the member, without the form it is written in.
template <typename T>
auto& bareOf(T&& member)
{
    if constexpr (
        requires { member.value; } && !Described<std::remove_cvref_t<T>> && !requires { member.has_value(); })
        return member.value;
    else
        return member;
}

struct KeyList
{
    std::vector<std::string> keys{};
    std::vector<const void*> members{};
    std::vector<FieldRule> rules{};
    template <typename T>
    void operator()(const char* key, T&& member, FieldRule rule = {})
    {
        keys.emplace_back(key);
        members.push_back(&bareOf(std::forward<T>(member)));
        rules.push_back(rule);
    }
    template <typename T>
    void derived(const char* key, const T&)
    {
        keys.emplace_back(key);
        members.push_back(nullptr);
        rules.emplace_back();
    }
};

template <typename Record>
KeyList keysOf(const Record& record)
{
    KeyList list;
    Fields<Record>::of(record, list);
    return list;
}

template <typename Record>
bool sameRecord(const Record& a, const Record& b);

/// Equal, where NaN equals NaN.
template <typename T>
bool same(const T& a, const T& b)
{
    if constexpr (std::floating_point<T>)
        return (std::isnan(a) && std::isnan(b)) || a == b;
    else if constexpr (requires { a.has_value(); })
        return a.has_value() == b.has_value() && (!a || same(*a, *b));
    else if constexpr (requires { a.first, a.second; })
        return a.first == b.first && same(a.second, b.second);
    else if constexpr (Described<T>)
        return sameRecord(a, b);
    else if constexpr (std::same_as<T, std::string> || std::is_enum_v<T> || std::integral<T>)
        return a == b;
    else
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](const auto& x, const auto& y) { return same(x, y); });
}

struct Comparison
{
    const std::vector<const void*>& others;
    std::size_t index = 0;
    bool equal = true;
    template <typename T>
    void operator()(const char*, T&& member, FieldRule = {})
    {
        const auto& bare = bareOf(std::forward<T>(member));
        equal = equal && same(bare, *static_cast<const std::remove_cvref_t<decltype(bare)>*>(others[index]));
        ++index;
    }
    template <typename T>
    void derived(const char*, const T&)
    {
        ++index;
    }
};

template <typename Record>
bool sameRecord(const Record& a, const Record& b)
{
    const KeyList others = keysOf(b);
    Comparison comparison{others.members};
    Fields<Record>::of(a, comparison);
    return comparison.equal;
}

/// Fills records with what breaks writers: extreme integers, NaN, infinities, quotes, line breaks, empty
/// lists.
class Filler
{
public:
    explicit Filler(std::uint64_t seed, bool finite)
        : m_random(seed)
        , m_finite(finite)
    {
    }

    template <typename T>
    void fill(T& value)
    {
        if constexpr (std::same_as<T, bool>)
            value = one(2) == 1;
        else if constexpr (std::integral<T>)
            value = std::array<T, 5>{0, 1, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
                                     static_cast<T>(m_random())}[one(5)];
        else if constexpr (std::floating_point<T>)
            value = number<T>();
        else if constexpr (std::same_as<T, std::string>)
            value = text();
        else if constexpr (std::is_enum_v<T>)
            value = enumerator<T>();
        else if constexpr (requires { value.emplace_back(); })
            for (value.clear(); one(4) != 0;)
                fill(value.emplace_back());
        else if constexpr (requires { value.has_value(); })
            one(3) == 0 ? value.reset() : fill(value.emplace());
        else if constexpr (Described<T>)
            record(value);
        else if constexpr (requires { value[std::string()]; })
            for (value.clear(); one(4) != 0;)
                fill(value[text()]);
        else if constexpr (requires { value.size(); })
            for (auto& element : value)
                fill(element);
        else
            special(value, m_random);
    }

    template <typename Record>
    void record(Record& value)
    {
        Fields<Record>::of(value, *this);
        // What is not written is nothing but a default.
        const Record empty{};
        const KeyList rules = keysOf(value), defaults = keysOf(empty);
        Reset reset{rules.rules, defaults.members};
        Fields<Record>::of(value, reset);
    }

    template <typename T>
    void operator()(const char*, T&& member, FieldRule = {})
    {
        fill(bareOf(std::forward<T>(member)));
    }
    template <typename T>
    void derived(const char*, const T&)
    {
    }

private:
    struct Reset
    {
        const std::vector<FieldRule>& rules;
        const std::vector<const void*>& defaults;
        std::size_t index = 0;
        template <typename T>
        void operator()(const char*, T&& member, FieldRule = {})
        {
            auto& bare = bareOf(std::forward<T>(member));
            if (!rules[index].written)
                bare = *static_cast<const std::remove_cvref_t<decltype(bare)>*>(defaults[index]);
            ++index;
        }
        template <typename T>
        void derived(const char*, const T&)
        {
            ++index;
        }
    };

    std::size_t one(std::size_t count) { return static_cast<std::size_t>(m_random() % count); }
    template <typename T>
    T number()
    {
        using Limits = std::numeric_limits<T>;
        const T random =
            static_cast<T>(std::ldexp(static_cast<double>(m_random() >> 11), static_cast<int>(one(60)) - 80));
        if (m_finite)
            return std::array<T, 6>{
                0, random, -random, Limits::max(), Limits::denorm_min(), Limits::lowest()}[one(6)];
        return std::array<T, 8>{0,
                                random,
                                -random,
                                Limits::max(),
                                Limits::denorm_min(),
                                Limits::quiet_NaN(),
                                Limits::infinity(),
                                -Limits::infinity()}[one(8)];
    }
    std::string text()
    {
        static const std::array<std::string, 8> pieces{"",   "a", "\"",  "\n",
                                                       "\\", "é", "nan", std::string(1, '\0')};
        std::string all;
        for (std::size_t n = one(4); n > 0; --n)
            all += pieces[one(pieces.size())];
        return all;
    }
    template <typename T>
    T enumerator()
    {
        if constexpr (requires(T value) { lastOf(value); })
            return static_cast<T>(one(static_cast<std::size_t>(lastOf(T{})) + 1));
        else
            return static_cast<T>(one(static_cast<std::size_t>(enumerators<T>)));
    }

    Random m_random;
    bool m_finite;
};

/// Random records through `turn` (to JSON text and back, as an optional): what went in comes out. The first
/// that does not, as text; empty: all do.
template <typename Record, typename Turn>
std::string roundTrips(Turn&& turn, bool finite = false, int count = 300)
{
    for (int seed = 0; seed < count; ++seed) {
        Filler filler(static_cast<std::uint64_t>(seed), finite);
        Record record{};
        filler.record(record);
        const auto back = turn(record);
        if (!back)
            return "not read: " + writeFields(record).dump(-1, ' ', true);
        if (!sameRecord(record, *back))
            return "changed: " + writeFields(record).dump(-1, ' ', true) + " became " +
                   writeFields(*back).dump(-1, ' ', true);
    }
    return {};
}

/// Every member of the struct is described, once, under a key of its own. `elsewhere`: members that are not
/// in the description on purpose. `inParts`: by how many more fields members are described whose own fields
/// stand among the record's.
template <typename Record>
std::string describedWhole(std::size_t elsewhere = 0, std::size_t inParts = 0)
{
    const Record record{};
    const KeyList list = keysOf(record);
    std::set<std::string> keys;
    std::set<const void*> members;
    std::size_t derived = 0;
    for (std::size_t i = 0; i < list.keys.size(); ++i) {
        if (!keys.insert(list.keys[i]).second)
            return "the key " + list.keys[i] + " stands twice";
        if (!list.members[i])
            ++derived;
        else if (!members.insert(list.members[i]).second)
            return "the member of " + list.keys[i] + " stands twice";
    }
    const std::size_t wanted = memberCount<Record>() + inParts;
    if (members.size() + elsewhere != wanted)
        return std::to_string(members.size()) + " of " + std::to_string(wanted) + " members are described";
    return {};
}

} // namespace sparserl::tests

/// Fails the test with what a check complains of.
#define COMPLAINT(expression)                                                                                \
    do {                                                                                                     \
        const std::string complaint = expression;                                                            \
        QVERIFY2(complaint.empty(), complaint.c_str());                                                      \
    } while (false)
