// SPDX-License-Identifier: Apache-2.0
#include "project/files/json_lines.h"

#include "base/beneath.h"
#include "base/json.h"
#include "project/files/line_reader.h"

namespace sparserl {

Result<std::vector<nlohmann::json>> readJsonLines(const std::filesystem::path& file)
{
    std::vector<nlohmann::json> objects;
    SPARSERL_TRY(const auto there, lookAt(file));
    if (!there.exists)
        return objects;
    const auto handle = FileHandle::openRead(file);
    SPARSERL_TRY(const auto size, handle ? handle->size() : Result<std::int64_t>(fail(handle.error())));
    LineReader lines(*handle, 0, size);
    for (;;) {
        SPARSERL_TRY(const auto line, lines.next());
        if (!line) {
            SPARSERL_CHECK(lines.rest(file));
            return objects;
        }
        if (auto json = parseJson(line->text); json && json->is_object())
            objects.push_back(std::move(*json));
    }
}

} // namespace sparserl
