// SPDX-License-Identifier: Apache-2.0
#include "base/toml.h"

#include "base/files.h"
#include "base/json.h"

#include <sstream>

namespace sparserl {

Result<toml::table> parseToml(std::string_view text, const std::string& file)
{
    try {
        return toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        return failAt(file, static_cast<int>(error.source().begin.line),
                      "this is not TOML: " + std::string(error.description()));
    }
}

Result<toml::table> readToml(const std::filesystem::path& path)
{
    SPARSERL_TRY(auto text, readFile(path));
    return parseToml(text, path.string());
}

std::string formatToml(const toml::table& table)
{
    std::ostringstream out;
    out.imbue(std::locale::classic());
    out << table;
    std::string text = out.str();
    if (text.empty() || text.back() != '\n') {
        text += '\n';
    }
    return text;
}

Status writeToml(const std::filesystem::path& path, const toml::table& table)
{
    return writeFileAtomic(path, formatToml(table));
}

namespace {

nlohmann::json nodeToJson(const toml::node& node)
{
    if (const auto* table = node.as_table()) {
        nlohmann::json object = nlohmann::json::object();
        for (const auto& [key, value] : *table) {
            object[std::string(key.str())] = nodeToJson(value);
        }
        return object;
    }
    if (const auto* array = node.as_array()) {
        nlohmann::json list = nlohmann::json::array();
        for (const auto& value : *array) {
            list.push_back(nodeToJson(value));
        }
        return list;
    }
    if (const auto* text = node.as_string()) {
        return text->get();
    }
    if (const auto* number = node.as_integer()) {
        return number->get();
    }
    if (const auto* real = node.as_floating_point()) {
        return real->get();
    }
    if (const auto* flag = node.as_boolean()) {
        return flag->get();
    }
    std::ostringstream out;
    node.visit([&out](const auto& value) {
        if constexpr (toml::is_date<decltype(value)> || toml::is_time<decltype(value)> ||
                      toml::is_date_time<decltype(value)>) {
            out << value.get();
        }
    });
    return out.str();
}

toml::array arrayFromJson(const nlohmann::json& json);

toml::table tableFromJson(const nlohmann::json& json)
{
    toml::table table;
    for (const auto& [key, value] : json.items()) {
        switch (value.type()) {
        case nlohmann::json::value_t::object:
            table.insert(key, tableFromJson(value));
            break;
        case nlohmann::json::value_t::array:
            table.insert(key, arrayFromJson(value));
            break;
        case nlohmann::json::value_t::string:
            table.insert(key, value.get<std::string>());
            break;
        case nlohmann::json::value_t::boolean:
            table.insert(key, value.get<bool>());
            break;
        case nlohmann::json::value_t::number_integer:
        case nlohmann::json::value_t::number_unsigned:
            table.insert(key, value.get<std::int64_t>());
            break;
        case nlohmann::json::value_t::number_float:
            table.insert(key, value.get<double>());
            break;
        default:
            break;
        }
    }
    return table;
}

toml::array arrayFromJson(const nlohmann::json& json)
{
    toml::array array;
    for (const auto& value : json) {
        switch (value.type()) {
        case nlohmann::json::value_t::object:
            array.push_back(tableFromJson(value));
            break;
        case nlohmann::json::value_t::array:
            array.push_back(arrayFromJson(value));
            break;
        case nlohmann::json::value_t::string:
            array.push_back(value.get<std::string>());
            break;
        case nlohmann::json::value_t::boolean:
            array.push_back(value.get<bool>());
            break;
        case nlohmann::json::value_t::number_integer:
        case nlohmann::json::value_t::number_unsigned:
            array.push_back(value.get<std::int64_t>());
            break;
        case nlohmann::json::value_t::number_float:
            array.push_back(value.get<double>());
            break;
        default:
            break;
        }
    }
    return array;
}

} // namespace

nlohmann::json jsonFromToml(const toml::table& table)
{
    return nodeToJson(table);
}

Result<toml::table> tomlFromJson(const nlohmann::json& json)
{
    if (!json.is_object()) {
        return fail("only a JSON object can become a TOML file");
    }
    return tableFromJson(json);
}

} // namespace sparserl
