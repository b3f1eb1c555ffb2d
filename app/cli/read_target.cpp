// SPDX-License-Identifier: Apache-2.0
#include "app/cli/read_target.h"

#include "base/source_name.h"
#include "matrix/make_target.h"

#include <memory>
#include <utility>

namespace sparserl::cli {

Result<Target> readTarget(const NamedMatrix& source, const TargetVariant& variant, const Context& context)
{
    ReadOptions reading = readingOf(context, source.word);
    reading.doubles = variant.type != ElementType::F32;
    auto read = source.load(reading);
    context.endProgress();
    if (!read)
        return fail(read.error());
    return makeTarget(displayName(source.word), std::make_shared<const Csr>(std::move(*read)), variant);
}

} // namespace sparserl::cli
