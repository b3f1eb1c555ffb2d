// SPDX-License-Identifier: Apache-2.0
#pragma once

class QTabWidget;

namespace sparserl {

/// Shows a button beside the tabs while they do not all fit. Its menu lists them all. Call it after the tabs
/// have their corner widget, which stays behind the button.
void listTabsThatDoNotFit(QTabWidget* tabs);

} // namespace sparserl
