// SPDX-License-Identifier: Apache-2.0
// Bundles as `sparserl export` writes them, from programs compiled here.
#pragma once

#include "compile/program_compiler.h"
#include "matrix/csr.h"

#include <QStringList>
#include <filesystem>
#include <map>
#include <string>

namespace sparserl {

struct Finished
{
    int exit = -1; ///< -1: it did not end by itself.
    std::string output;
};

/// Runs a program in `folder` to its end; output and errors come together.
Finished runProgram(const QString& program, const QStringList& arguments, const std::filesystem::path& folder,
                    const std::map<std::string, std::string>& variables = {});

class BundleMaker
{
public:
    BundleMaker();

    /// Writes the bundle of a program without a verdict into `folder`. Empty, or what went wrong.
    std::string write(const std::string& text, const Csr& matrix, const std::filesystem::path& folder);

private:
    ProgramCompiler m_nvrtc;
};

/// The pattern of a grid's Laplacian with symmetric values that dominate on the diagonal: positive definite.
Csr definiteMatrix(int n);

} // namespace sparserl
