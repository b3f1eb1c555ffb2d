// SPDX-License-Identifier: Apache-2.0
#include "project/files/annotations.h"

#include "base/json.h"
#include "base/time.h"
#include "project/files/file_handle.h"
#include "project/files/json_lines.h"
#include "project/files/unique_id.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <set>

namespace sparserl {
namespace {

using Target = Annotation::Target;
using Field = Annotation::Field;
constexpr std::array<std::string_view, 4> targets{"run", "program", "matrix", "checkpoint"};
constexpr std::array<std::string_view, 8> fields{"note",    "tag",    "star",  "pin",
                                                 "archive", "colour", "shown", "sft"};

template <typename E, std::size_t N>
std::optional<E> fromName(const std::array<std::string_view, N>& names, std::string_view name)
{
    const auto it = std::find(names.begin(), names.end(), name);
    if (it == names.end())
        return std::nullopt;
    return static_cast<E>(it - names.begin());
}

std::filesystem::path fileOf(const std::filesystem::path& project)
{
    return project / "annotations.jsonl";
}

/// "word" puts it into the list, "-word" takes it out.
void change(std::vector<std::string>& list, const std::string& value)
{
    const bool remove = value.starts_with('-');
    const std::string word = remove ? value.substr(1) : value;
    std::erase(list, word);
    if (!remove)
        list.push_back(word);
}

/// What is no number is no choice.
int colourFrom(const std::string& text)
{
    int colour = -1;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), colour);
    return code == std::errc() && end == text.data() + text.size() && colour >= 0 ? colour : -1;
}

} // namespace

std::string_view nameOf(Target target)
{
    return targets[static_cast<std::size_t>(target)];
}

std::string_view nameOf(Field field)
{
    return fields[static_cast<std::size_t>(field)];
}

Result<std::string> addAnnotation(const std::filesystem::path& project, Annotation annotation)
{
    if (annotation.key.empty())
        return fail("an annotation needs something that it is attached to");
    if (annotation.id.empty())
        annotation.id = uniqueId();
    if (annotation.t == 0)
        annotation.t = unixSeconds();
    const nlohmann::json json = {{"id", annotation.id},
                                 {"t", annotation.t},
                                 {"target", nameOf(annotation.target)},
                                 {"key", annotation.key},
                                 {"field", nameOf(annotation.field)},
                                 {"value", annotation.value}};
    SPARSERL_CHECK(appendLine(fileOf(project), dumpJson(json)));
    return annotation.id;
}

Status undoAnnotation(const std::filesystem::path& project, const std::string& id)
{
    const nlohmann::json json = {{"undo", id}, {"t", unixSeconds()}};
    return appendLine(fileOf(project), dumpJson(json));
}

Result<std::vector<Annotation>> readAnnotations(const std::filesystem::path& project)
{
    std::vector<Annotation> list;
    SPARSERL_TRY(const auto lines, readJsonLines(fileOf(project)));
    std::set<std::string> undone;
    for (const nlohmann::json& json : lines) {
        if (json.contains("undo")) {
            undone.insert(jsonValue<std::string>(json, "undo", {}));
            continue;
        }
        const auto target = fromName<Target>(targets, jsonValue<std::string>(json, "target", {}));
        const auto field = fromName<Field>(fields, jsonValue<std::string>(json, "field", {}));
        if (!target || !field)
            continue;
        list.push_back({jsonValue<std::string>(json, "id", {}), jsonValue(json, "t", 0.0), *target,
                        jsonValue<std::string>(json, "key", {}), *field,
                        jsonValue<std::string>(json, "value", {})});
    }
    std::erase_if(list, [&](const Annotation& annotation) { return undone.contains(annotation.id); });
    return list;
}

void applyAnnotation(AnnotationState& state, const Annotation& annotation)
{
    const bool on = annotation.value == "1";
    switch (annotation.field) {
    case Field::Note:
        state.note = annotation.value;
        break;
    case Field::Star:
        state.starred = on;
        break;
    case Field::Pin:
        state.pinned = on;
        break;
    case Field::Archive:
        state.archived = on;
        break;
    case Field::Shown:
        state.shown = on;
        break;
    case Field::Colour:
        state.colour = colourFrom(annotation.value);
        break;
    case Field::Tag:
        change(state.tags, annotation.value);
        break;
    case Field::Sft:
        change(state.sftTargets, annotation.value);
        break;
    }
}

} // namespace sparserl
