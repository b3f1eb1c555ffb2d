// SPDX-License-Identifier: Apache-2.0
#include "app/cli/endpoint_words.h"

#include "app/cli/commands.h"
#include "endpoint/endpoint_client.h"

#include <utility>

namespace sparserl::cli {

Result<std::shared_ptr<EndpointClient>> clientOf(const Context& context, const std::string& name)
{
    SPARSERL_TRY(const auto settings, findEndpoint(name));
    SPARSERL_TRY(auto client, EndpointClient::make(settings, [&context](std::string_view sentence) {
                     context.endProgress();
                     context.note(sentence);
                 }));
    return std::make_shared<EndpointClient>(std::move(client));
}

} // namespace sparserl::cli
