// SPDX-License-Identifier: Apache-2.0
#include "remote/known_hosts.h"

#include "base/settings_file.h"
#include "base/shell.h"
#include "base/toml.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace sparserl {

namespace {

constexpr std::size_t mostHosts = 200;

std::vector<RemoteHost> hostsIn(const toml::table& table)
{
    std::vector<RemoteHost> hosts;
    const toml::array* list = table["host"].as_array();
    for (std::size_t i = 0; list != nullptr && i < list->size() && hosts.size() < mostHosts; ++i) {
        const toml::table* entry = list->get(i)->as_table();
        if (entry == nullptr)
            continue;
        RemoteHost host;
        host.name = (*entry)["name"].value_or(std::string());
        host.folder = (*entry)["folder"].value_or(host.folder);
        host.program = (*entry)["program"].value_or(host.program);
        if (checkRemoteHost(host))
            hosts.push_back(std::move(host));
    }
    return hosts;
}

bool isSamePlace(const RemoteHost& a, const RemoteHost& b)
{
    return a.name == b.name && a.folder == b.folder;
}

/// A part of the file: from a header, with the comments right above it, to the next one.
struct Part
{
    bool isHost = false;
    std::string text;
};

/// A line without its indentation.
std::string_view inward(std::string_view line)
{
    return line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
}

bool isHostHeader(std::string_view line)
{
    std::string plain;
    for (const char c : line.substr(0, line.find('#')))
        if (c != ' ' && c != '\t' && c != '\r')
            plain += c;
    return plain == "[[host]]";
}

std::vector<Part> partsOf(const std::string& text)
{
    std::vector<Part> parts(1);
    std::string comments; // until it is known what they belong to
    for (const std::string_view line : linesOf(text)) {
        if (inward(line).starts_with('#')) {
            comments.append(line) += '\n';
            continue;
        }
        // A table below a host is a part of it.
        if (inward(line).starts_with('[') && !inward(line).starts_with("[host.") &&
            !inward(line).starts_with("[[host."))
            parts.push_back({isHostHeader(line), {}});
        parts.back().text += comments;
        parts.back().text.append(line) += '\n';
        comments.clear();
    }
    parts.back().text += comments;
    return parts;
}

/// Nothing: it is no host's, or of one that could be misread.
std::optional<RemoteHost> hostOf(const Part& part)
{
    const auto table = part.isHost ? parseToml(part.text) : Result<toml::table>(toml::table());
    const auto hosts = table ? hostsIn(*table) : std::vector<RemoteHost>();
    return hosts.size() == 1 ? std::optional(hosts.front()) : std::nullopt;
}

std::string partOf(const RemoteHost& host)
{
    return formatToml(toml::table{
        {"host",
         toml::array{toml::table{{"name", host.name}, {"folder", host.folder}, {"program", host.program}}}}});
}

/// The part of a host that is known, with another program where that has changed.
std::string withProgram(const std::string& part, const RemoteHost& host)
{
    const auto before = parseToml(part);
    if (before && hostsIn(*before) == std::vector{host})
        return part;
    std::string after;
    for (const std::string_view line : linesOf(part)) {
        const std::string_view text = inward(line);
        if (!text.starts_with("program") || !inward(text.substr(7)).starts_with('='))
            after.append(line) += '\n';
        if (isHostHeader(line))
            after += formatToml(toml::table{{"program", host.program}});
    }
    return after;
}

/// The text with this host first. Everything else keeps its place and its words.
Result<std::string> withHostFirst(const std::string& text, const RemoteHost& host, const std::string& file)
{
    SPARSERL_TRY(const auto table, parseToml(text, file));
    const std::vector<RemoteHost> before = hostsIn(table);
    if (!before.empty() && before.front() == host)
        return text;
    auto parts = partsOf(text);
    std::string first = partOf(host);
    for (auto at = parts.begin(); at != parts.end(); ++at) {
        const auto known = at->text.find(host.name) != std::string::npos ? hostOf(*at) : std::nullopt;
        if (!known || !isSamePlace(*known, host))
            continue;
        first = withProgram(at->text, host);
        parts.erase(at);
        break;
    }
    const auto isHost = [](const Part& part) { return part.isHost; };
    parts.insert(std::find_if(parts.begin(), parts.end(), isHost), {true, first});
    auto tooMany = static_cast<std::ptrdiff_t>(before.size()) + 1 - static_cast<std::ptrdiff_t>(mostHosts);
    if (std::any_of(before.begin(), before.end(),
                    [&](const auto& known) { return isSamePlace(known, host); }))
        --tooMany;
    for (auto at = parts.end(); tooMany > 0 && at != parts.begin();)
        if (hostOf(*--at)) {
            at = parts.erase(at);
            --tooMany;
        }
    std::string after;
    for (const Part& part : parts)
        after += part.text;
    // What was meant is what it says now: else it is written in a way that was not understood here.
    std::vector<RemoteHost> wanted = before;
    std::erase_if(wanted, [&](const RemoteHost& known) { return isSamePlace(known, host); });
    wanted.insert(wanted.begin(), host);
    wanted.resize(std::min(wanted.size(), mostHosts));
    const auto check = parseToml(after);
    if (!check || hostsIn(*check) != wanted)
        return failAt(file, 0, "this list of hosts is written in a way that programs cannot change",
                      "Write each host below a line [[host]]");
    return after;
}

} // namespace

std::filesystem::path knownHostsFile()
{
    return userSettingsFolder() / "hosts.toml";
}

std::vector<RemoteHost> readKnownHosts(const std::filesystem::path& file)
{
    const auto text = readSettings(file);
    const auto table = text ? parseToml(*text) : Result<toml::table>(fail(text.error()));
    return table ? hostsIn(*table) : std::vector<RemoteHost>();
}

Result<RemoteHost> confirmedHost(const std::string& name, const std::string& folder,
                                 const std::filesystem::path& file)
{
    SPARSERL_TRY(const std::string text, readSettings(file));
    SPARSERL_TRY(const auto table, parseToml(text, file.string()));
    const RemoteHost asked{name, folder};
    for (const RemoteHost& host : hostsIn(table))
        if (isSamePlace(host, asked))
            return host;
    SPARSERL_CHECK(checkRemoteHost(asked));
    return fail(fmt::format("the run works on {}, which you have not confirmed on this machine", name),
                shellCommand("sparserl remote check {}", {asked.text()}) + " asks it, and confirms it");
}

Status rememberHost(const RemoteHost& host, const std::filesystem::path& file)
{
    return changeSettings(file, [&](const std::string& before) -> Result<std::string> {
        return withHostFirst(before, host, file.string());
    });
}

} // namespace sparserl
