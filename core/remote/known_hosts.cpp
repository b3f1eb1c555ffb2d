// SPDX-License-Identifier: Apache-2.0
#include "remote/known_hosts.h"

#include "base/allowed_links.h"
#include "base/shell.h"
#include "base/toml.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr std::size_t mostHosts = 200;

} // namespace

std::filesystem::path knownHostsFile()
{
    return userSettingsFolder() / "hosts.toml";
}

std::vector<RemoteHost> readKnownHosts(const std::filesystem::path& file)
{
    std::vector<RemoteHost> hosts;
    const auto table = readToml(file);
    const toml::array* list = table ? (*table)["host"].as_array() : nullptr;
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

Result<RemoteHost> confirmedHost(const std::string& name, const std::string& folder,
                                 const std::filesystem::path& file)
{
    for (const RemoteHost& host : readKnownHosts(file))
        if (host.name == name && host.folder == folder)
            return host;
    const RemoteHost asked{name, folder};
    SPARSERL_CHECK(checkRemoteHost(asked));
    return fail(fmt::format("the run works on {}, which you have not confirmed on this machine", name),
                shellCommand("sparserl remote check {}", {asked.text()}) + " asks it, and confirms it");
}

Status rememberHost(const RemoteHost& host, const std::filesystem::path& file)
{
    auto hosts = readKnownHosts(file);
    if (!hosts.empty() && hosts.front() == host)
        return {};
    std::erase_if(hosts, [&](const RemoteHost& known) {
        return known.name == host.name && known.folder == host.folder;
    });
    hosts.insert(hosts.begin(), host);
    hosts.resize(std::min(hosts.size(), mostHosts));
    toml::array list;
    for (const RemoteHost& known : hosts)
        list.push_back(
            toml::table{{"name", known.name}, {"folder", known.folder}, {"program", known.program}});
    return writeToml(file, toml::table{{"host", std::move(list)}});
}

} // namespace sparserl
