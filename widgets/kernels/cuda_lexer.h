// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/theme.h"

#include "widgets/kernels/scintilla.h"

namespace sparserl {

/// CUDA C++ with plan lines: C++ with CUDA's qualifiers, built-in variables and intrinsics as a separate
/// keyword set.
class CudaLexer : public QsciLexerCPP
{
public:
    explicit CudaLexer(QObject* parent);
    const char* keywords(int set) const override;
    const char* language() const override { return "CUDA"; }
    /// Own colours for every style, in light and dark.
    void applyTheme(const Theme& theme, const QFont& font);
};

} // namespace sparserl
