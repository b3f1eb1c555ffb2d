// SPDX-License-Identifier: Apache-2.0
#include "project/files/project_file.h"

#include "base/format_number.h"
#include "base/printable.h"
#include "base/source_name.h"
#include "base/toml.h"
#include "matrix/matrix_list.h"
#include "verdict/names.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace sparserl {
namespace {

std::string quoted(const std::string& text)
{
    std::ostringstream out;
    out << toml::value<std::string>(text);
    return out.str();
}

std::string matrixBlock(const MatrixEntry& entry)
{
    std::string block = "[[matrix]]\n";
    const auto add = [&](std::string_view key, const std::string& value) {
        if (!value.empty())
            block += fmt::format("{} = {}\n", key, quoted(value));
    };
    add("name", entry.name);
    add("file", entry.file);
    add("generator", entry.generator);
    add("split", entry.split);
    add("class", entry.matrixClass);
    add("attribution", entry.attribution);
    add("digest", entry.digest);
    return block;
}

Result<MatrixEntry> readEntry(const toml::table& table, const std::string& file)
{
    const int line = lineOf(table);
    MatrixEntry entry;
    const std::pair<std::string_view, std::string*> fields[] = {
        {"name", &entry.name},    {"file", &entry.file},         {"generator", &entry.generator},
        {"split", &entry.split},  {"class", &entry.matrixClass}, {"attribution", &entry.attribution},
        {"digest", &entry.digest}};
    for (const auto& [key, target] : fields) {
        const toml::node* node = table.get(key);
        if (node == nullptr)
            continue;
        const auto* text = node->as_string();
        if (text == nullptr)
            return failAt(file, lineOf(*node), fmt::format("\"{}\" of a matrix must be text", key),
                          "Put it in quotes");
        *target = text->get();
    }
    if (entry.name.empty())
        return failAt(file, line, "a [[matrix]] has no name", "Give it a unique name");
    entry.name = displayName(entry.name); // It goes to terminals, and into rows of tables.
    if (entry.file.empty() == entry.generator.empty())
        return failAt(file, line,
                      fmt::format("matrix \"{}\" needs either a file or a generator", entry.name));
    if (const std::string fault = matrixNameFault(entry.name, entry.generator); !fault.empty())
        return failAt(file, line, fmt::format("\"{}\" is {}", shortened(entry.name, 100), fault),
                      "Give the matrix another name there");
    const bool digits = std::all_of(entry.digest.begin(), entry.digest.end(),
                                    [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
    if (!entry.digest.empty() && (entry.digest.size() != 64 || !digits))
        return failAt(file, line,
                      fmt::format("the digest of matrix \"{}\" is not 64 hexadecimal digits", entry.name),
                      "Remove the line \"digest\"; the digest is computed again when the matrix is read");
    if (!split::known(entry.split))
        return failAt(file, line, fmt::format("matrix \"{}\" has the split \"{}\"", entry.name, entry.split),
                      "Use \"train\" or \"held-out\"");
    return entry;
}

} // namespace

Result<ProjectFile> parseProjectFile(const std::string& text, const std::string& file)
{
    SPARSERL_TRY(const auto table, parseToml(text, file));
    const toml::table* head = table["project"].as_table();
    if (head == nullptr)
        return failAt(file, 0, "the table [project] is missing",
                      "This may not be a project; make one with `sparserl project new DIR`");
    SPARSERL_CHECK(checkFormat(*head, 1, "the project", file));
    ProjectFile project;
    project.title = (*head)["title"].value_or(std::string());
    const toml::node* node = table.get("matrix");
    if (node == nullptr)
        return project;
    const toml::array* list = node->as_array();
    if (list == nullptr)
        return failAt(file, lineOf(*node), "\"matrix\" must be a list", "Write each as [[matrix]]");
    std::set<std::string> names;
    for (const toml::node& item : *list) {
        const toml::table* entry = item.as_table();
        if (entry == nullptr)
            return failAt(file, lineOf(item), "a matrix must be a table", "Write each as [[matrix]]");
        SPARSERL_TRY(auto matrix, readEntry(*entry, file));
        if (!names.insert(matrix.name).second)
            return failAt(file, lineOf(*entry),
                          fmt::format("there are two matrices named \"{}\"", matrix.name),
                          "Rename one of them");
        project.matrices.push_back(std::move(matrix));
    }
    return project;
}

std::string withMatrix(const std::string& text, const MatrixEntry& entry)
{
    std::string out = text;
    if (!out.empty() && out.back() != '\n')
        out += '\n';
    if (!out.empty())
        out += '\n';
    return out + matrixBlock(entry);
}

std::string formatProjectFile(const ProjectFile& project)
{
    std::string out = fmt::format("[project]\nformat = 1\ntitle = {}\n", quoted(project.title));
    for (const MatrixEntry& entry : project.matrices)
        out += "\n" + matrixBlock(entry);
    return out;
}

} // namespace sparserl
