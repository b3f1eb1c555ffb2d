// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"

#include "base/files.h"

#include <algorithm>

namespace sparserl {

namespace {

/// Copying, comparing and writing JSON recurse: a text of brackets only must not end the process.
constexpr int deepest = 500;

/// Do brackets outside strings nest too deep? What is no JSON is the parser's to find.
bool nestsTooDeep(std::string_view text)
{
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') {
            for (++i; i < text.size() && text[i] != '"'; ++i)
                i += text[i] == '\\' ? 1 : 0;
        } else if (c == '[' || c == '{') {
            if (++depth > deepest)
                return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

} // namespace

Result<nlohmann::json> parseJson(std::string_view text, const std::string& file)
{
    // The parser takes NUL, which no JSON holds, for the end of the text: what stands behind would not be
    // read.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
        const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
        return failAt(file, static_cast<int>(line),
                      "this is not JSON: unexpected text at byte " + std::to_string(nul));
    }
    if (text.size() > deepest && nestsTooDeep(text)) {
        return failAt(file, 0,
                      "this is not JSON of ours: brackets nest more than " + std::to_string(deepest) +
                          " deep");
    }
    try {
        return nlohmann::json::parse(text.begin(), text.end());
    } catch (const nlohmann::json::parse_error& error) {
        const std::size_t at = std::min(error.byte > 0 ? error.byte - 1 : 0, text.size());
        const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        const bool ended = at >= text.size();
        return failAt(file, static_cast<int>(line),
                      ended ? "this is not JSON: the text ends too early"
                            : "this is not JSON: unexpected text at byte " + std::to_string(at));
    } catch (const nlohmann::json::exception& error) {
        return failAt(file, 0, std::string("this is not JSON: ") + error.what());
    }
}

Result<nlohmann::json> readJson(const std::filesystem::path& path)
{
    SPARSERL_TRY(auto text, readFile(path));
    return parseJson(text, path.string());
}

std::string dumpJson(const nlohmann::json& json)
{
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string dumpJsonPretty(const nlohmann::json& json)
{
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

Status writeJson(const std::filesystem::path& path, const nlohmann::json& json)
{
    return writeFileAtomic(path, dumpJsonPretty(json));
}

nlohmann::json toJson(const Error& error)
{
    return {{"error",
             {{"what", error.what}, {"file", error.file}, {"line", error.line}, {"remedy", error.remedy}}}};
}

} // namespace sparserl
