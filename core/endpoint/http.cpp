// SPDX-License-Identifier: Apache-2.0
#include "endpoint/http.h"

#include "base/interruption.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <curl/curl.h>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace sparserl {

namespace {

struct CloseUrl
{
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
struct CloseEasy
{
    void operator()(CURL* easy) const { curl_easy_cleanup(easy); }
};
struct FreeList
{
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

std::optional<std::string> partOf(CURLU* url, CURLUPart part)
{
    char* text = nullptr;
    if (curl_url_get(url, part, &text, 0) != CURLUE_OK || text == nullptr)
        return std::nullopt;
    std::string value = text;
    curl_free(text);
    return value;
}

bool isLoopback(const std::string& host)
{
    return host == "localhost" || host == "[::1]" ||
           (host.starts_with("127.") &&
            std::all_of(host.begin(), host.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); }));
}

struct Transfer
{
    const HttpRequest& request;
    const CancelToken& cancel;
    std::string body;
    bool tooLong = false;
};

std::size_t takeBody(char* data, std::size_t, std::size_t count, void* user)
{
    auto& transfer = *static_cast<Transfer*>(user);
    transfer.tooLong = transfer.body.size() + count > transfer.request.mostBytes;
    if (transfer.tooLong)
        return 0;
    transfer.body.append(data, count);
    return count;
}

int watch(void* user, curl_off_t, curl_off_t, curl_off_t, curl_off_t)
{
    return static_cast<Transfer*>(user)->cancel.cancelled() ? 1 : 0;
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

HttpAnswer answerOf(CURL* easy, std::string body)
{
    HttpAnswer answer;
    answer.body = std::move(body);
    long status = 0;
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    answer.status = static_cast<int>(status);
    char* type = nullptr;
    curl_easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    if (type != nullptr) {
        answer.type = lower(type);
        answer.type = answer.type.substr(0, answer.type.find(';'));
    }
    curl_off_t wait = 0; // Also understands a date.
    curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait);
    if (wait > 0)
        answer.retryAfter = static_cast<double>(wait);
    return answer;
}

Result<std::unique_ptr<CURL, CloseEasy>> newEasy()
{
    // Once, and thread-safe as the initialisation of a local variable is.
    static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
    std::unique_ptr<CURL, CloseEasy> easy(ready == CURLE_OK ? curl_easy_init() : nullptr);
    if (!easy)
        return fail("libcurl cannot be used");
    return easy;
}

} // namespace

Result<HttpPlace> httpPlace(const std::string& url)
{
    const std::unique_ptr<CURLU, CloseUrl> parsed(curl_url());
    const auto wrong = [&](const std::string& what) {
        return fail(fmt::format("\"{}\" {}", url.substr(0, 200), what),
                    "Give the address up to the version, as in https://api.example.com/v1");
    };
    if (!parsed || url.size() > 2000 ||
        curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK)
        return wrong("is not the address of a server");
    const auto scheme = partOf(parsed.get(), CURLUPART_SCHEME);
    const auto host = partOf(parsed.get(), CURLUPART_HOST);
    if (!scheme || !host || (*scheme != "http" && *scheme != "https"))
        return wrong("does not begin with http:// or https://");
    for (const CURLUPart part : {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY, CURLUPART_FRAGMENT})
        if (partOf(parsed.get(), part))
            return tl::unexpected(
                Error{"the address of a server holds a user, a password, a query or a fragment",
                      {},
                      0,
                      "Keys belong into an environment variable or a file"});
    return HttpPlace{*host, *scheme == "https", isLoopback(lower(*host))};
}

Result<HttpAnswer> exchange(const HttpRequest& request, const CancelToken& cancel, bool* connected)
{
    SPARSERL_TRY(const HttpPlace place, httpPlace(request.url));
    SPARSERL_TRY(const auto easy, newEasy());
    Transfer transfer{request, cancel, {}};
    std::unique_ptr<curl_slist, FreeList> headers(
        curl_slist_append(nullptr, "Accept: application/json, text/event-stream"));
    const auto add = [&](const std::string& header) {
        headers.reset(curl_slist_append(headers.release(), header.c_str()));
    };
    add("Expect:"); // Some servers wait for nothing.
    if (!request.body.empty())
        add("Content-Type: application/json");
    if (!request.key.empty())
        add("Authorization: Bearer " + request.key);
    CURL* const to = easy.get();
    curl_easy_setopt(to, CURLOPT_URL, request.url.c_str());
    curl_easy_setopt(to, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(to, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(to, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    if (place.loopback)
        curl_easy_setopt(to, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(to, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(to, CURLOPT_CONNECTTIMEOUT, 20L);
    curl_easy_setopt(to, CURLOPT_TIMEOUT, static_cast<long>(request.totalSeconds));
    curl_easy_setopt(to, CURLOPT_TCP_KEEPALIVE, 1L); // A machine that is gone says nothing, too.
    curl_easy_setopt(to, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(to, CURLOPT_LOW_SPEED_TIME, static_cast<long>(request.stallSeconds));
    curl_easy_setopt(to, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(to, CURLOPT_USERAGENT, "sparserl");
    curl_easy_setopt(to, CURLOPT_WRITEFUNCTION, &takeBody);
    curl_easy_setopt(to, CURLOPT_WRITEDATA, &transfer);
    curl_easy_setopt(to, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(to, CURLOPT_XFERINFOFUNCTION, &watch);
    curl_easy_setopt(to, CURLOPT_XFERINFODATA, &transfer);
    if (!request.body.empty()) {
        curl_easy_setopt(to, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
        curl_easy_setopt(to, CURLOPT_POSTFIELDS, request.body.c_str());
    }
    const CURLcode code = curl_easy_perform(to);
    if (connected != nullptr)
        *connected = code != CURLE_COULDNT_CONNECT;
    if (cancel.cancelled())
        return fail(interruption());
    if (transfer.tooLong)
        return fail(fmt::format("the answer of {} is longer than {} bytes", place.host, request.mostBytes));
    if (code != CURLE_OK)
        return fail(fmt::format("no answer from {}: {}", place.host, curl_easy_strerror(code)));
    return answerOf(to, std::move(transfer.body));
}

} // namespace sparserl
