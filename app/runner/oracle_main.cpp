// SPDX-License-Identifier: Apache-2.0
#include "runner/oracle_role.h"

int main(int argc, char** argv)
{
    return sparserl::oracleMain(argc, argv);
}
