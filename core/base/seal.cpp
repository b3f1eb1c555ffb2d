// SPDX-License-Identifier: Apache-2.0
#include "base/seal.h"

#include "base/control_file.h"
#include "base/json.h"
#include "base/settings_file.h"

#include <array>
#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <sys/random.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t keyDigits = 64;

std::string hexOf(const unsigned char* bytes, std::size_t count)
{
    std::string out;
    for (std::size_t i = 0; i < count; ++i)
        out += fmt::format("{:02x}", bytes[i]);
    return out;
}

/// The key's digits; empty where there is none.
std::string readKey()
{
    const auto text = readSettings(sealKeyFile());
    return text && text->size() >= keyDigits ? text->substr(0, keyDigits) : std::string();
}

std::string readOrMakeKey()
{
    if (std::string key = readKey(); !key.empty())
        return key;
    std::array<unsigned char, keyDigits / 2> drawn{};
    if (::getrandom(drawn.data(), drawn.size(), 0) != static_cast<ssize_t>(drawn.size()))
        return {};
    // Another program may have made it meanwhile.
    const auto made = changeSettings(sealKeyFile(), [&](const std::string& before) -> Result<std::string> {
        return before.size() >= keyDigits ? before : hexOf(drawn.data(), drawn.size()) + "\n";
    });
    return made ? readKey() : std::string();
}

/// HMAC-SHA256 over both, apart from each other.
std::string sealOf(const std::string& key, std::string_view what, std::string_view bytes)
{
    const std::string message = fmt::format("{}\n{}", what, bytes);
    std::array<unsigned char, EVP_MAX_MD_SIZE> out{};
    unsigned int size = 0;
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(message.data()), message.size(), out.data(),
             &size) == nullptr)
        return {};
    return hexOf(out.data(), size);
}

} // namespace

fs::path sealKeyFile()
{
    return userSettingsFolder() / "seal-key";
}

Status writeSealedJson(const fs::path& file, std::string_view what, nlohmann::json json)
{
    json.erase("seal");
    if (const std::string key = readOrMakeKey(); !key.empty())
        json["seal"] = sealOf(key, what, dumpJson(json));
    return writeJson(file, json);
}

Result<nlohmann::json> readSealedJson(const fs::path& file, std::string_view what)
{
    SPARSERL_TRY(auto json, readControlJson(file));
    const std::string key = readKey();
    const auto said = json.is_object() ? jsonValue<std::string>(json, "seal", {}) : std::string();
    if (json.is_object())
        json.erase("seal");
    // Keys are in their order, so the same text comes of the same object.
    const std::string wanted = key.empty() ? std::string() : sealOf(key, what, dumpJson(json));
    if (wanted.empty() || said.size() != wanted.size() ||
        CRYPTO_memcmp(said.data(), wanted.data(), said.size()) != 0)
        return failAt(file.string(), 0, "this file was not made by you on this machine");
    return json;
}

} // namespace sparserl
