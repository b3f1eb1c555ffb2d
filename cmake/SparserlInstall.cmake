# SPDX-License-Identifier: Apache-2.0
# What an installation holds (`cmake --install`, packaging/deb, packaging/appimage): programs in bin, the libraries of
# wheels below lib/sparserl in the order that they have there, so that they find each other.
set(CMAKE_INSTALL_DOCDIR share/doc/sparserl-workbench)
include(GNUInstallDirs)

set(SPARSERL_SITE "lib/sparserl/site") # core/machine/cuda_libraries.cpp looks there too
if(SPARSERL_PACKAGE)
    # In lib/sparserl/shared an AppImage has what a .deb takes from Debian (packaging/bundle_libraries.py).
    set(CMAKE_INSTALL_RPATH "$ORIGIN/../${SPARSERL_SITE}/torch/lib" "$ORIGIN/../${SPARSERL_SITE}/nvidia/cu13/lib"
        "$ORIGIN/../lib/sparserl/shared")
    set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
    add_link_options("LINKER:--disable-new-dtags") # A program's paths hold for what its libraries and plugins need, too.
endif()

function(sparserl_install_programs)
    install(TARGETS ${ARGN} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" LIBRARY DESTINATION lib/sparserl)
endfunction()

# Only what the programs of a machine without a GPU load; those of cuSPARSE, cuBLAS and LibTorch's CUDA part are the user's.
function(sparserl_install_libraries)
    foreach(name libtorch_cpu.so libc10.so libgomp.so.1)
        install(FILES "${LibTorch_ROOT}/lib/${name}" DESTINATION "${SPARSERL_SITE}/torch/lib")
    endforeach()
    file(GLOB notices "${LibTorch_ROOT}/../torch-*.dist-info/LICENSE*" "${LibTorch_ROOT}/../torch-*.dist-info/licenses/*"
        "${LibTorch_ROOT}/../torch-*.dist-info/NOTICE*")
    install(FILES ${notices} DESTINATION "${CMAKE_INSTALL_DOCDIR}/LibTorch")
    foreach(name libcudart.so.13 libcupti.so.13 libnvrtc.so.13 libnvrtc-builtins.so.13.0 libnvJitLink.so.13)
        file(REAL_PATH "${LibTorch_CUDA_RUNTIME}/${name}" file)
        install(FILES "${file}" RENAME "${name}" DESTINATION "${SPARSERL_SITE}/nvidia/cu13/lib")
    endforeach()
endfunction()

function(sparserl_install_desktop)
    set(from "${CMAKE_SOURCE_DIR}/packaging/linux")
    install(FILES "${from}/sparserl-workbench.desktop" DESTINATION "${CMAKE_INSTALL_DATADIR}/applications")
    install(FILES "${from}/sparserl-workbench.xml" DESTINATION "${CMAKE_INSTALL_DATADIR}/mime/packages")
    install(FILES "${CMAKE_SOURCE_DIR}/resources/workbench.svg" RENAME sparserl-workbench.svg
        DESTINATION "${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps")
    install(FILES "${from}/copyright" "${CMAKE_SOURCE_DIR}/README.md" "${CMAKE_SOURCE_DIR}/CHANGELOG.md"
            "${CMAKE_SOURCE_DIR}/SUPPORT.md" "${CMAKE_SOURCE_DIR}/CODE_OF_CONDUCT.md" "${CMAKE_SOURCE_DIR}/CITATION.cff"
        "${CMAKE_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
    install(DIRECTORY "${CMAKE_SOURCE_DIR}/docs" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
    install(DIRECTORY "${CMAKE_SOURCE_DIR}/resources/policy" DESTINATION "${CMAKE_INSTALL_DATADIR}/sparserl")
    install(DIRECTORY "${CMAKE_SOURCE_DIR}/projects/quickstart" DESTINATION "${CMAKE_INSTALL_DATADIR}/sparserl"
        PATTERN runs EXCLUDE PATTERN cache EXCLUDE PATTERN exports EXCLUDE PATTERN "project.sqlite*" EXCLUDE
        PATTERN "*.lock" EXCLUDE)
endfunction()

# Completions and manual pages, made of what the built programs declare (packaging/command_words.py). They find their libraries
# where the build does, for those of the installation are not there yet.
function(sparserl_install_command_words)
    find_package(Python3 3.10 REQUIRED COMPONENTS Interpreter)
    set(script "${CMAKE_SOURCE_DIR}/packaging/command_words.py")
    set(folder "${CMAKE_BINARY_DIR}/command_words")
    add_custom_command(OUTPUT "${folder}/bash/sparserl"
        COMMAND "${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${LibTorch_ROOT}/lib:${LibTorch_CUDA_RUNTIME}" "${Python3_EXECUTABLE}"
            "${script}" --bin "$<TARGET_FILE_DIR:sparserl>" --out "${folder}"
        DEPENDS "${script}" "${CMAKE_SOURCE_DIR}/packaging/command_examples.py" sparserl sparserl-training sparserl-workbench VERBATIM)
    add_custom_target(sparserl_command_words ALL DEPENDS "${folder}/bash/sparserl")
    foreach(program sparserl sparserl-workbench)
        install(FILES "${folder}/bash/${program}" DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
        install(FILES "${folder}/zsh/_${program}" DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
        install(FILES "${folder}/fish/${program}.fish" DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
    endforeach()
    install(DIRECTORY "${folder}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}")
endfunction()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sparserl-workbench)
set(CPACK_PACKAGE_VENDOR "SparseRL Workbench")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Teaches a language model to write CUDA kernels for sparse matrices")
set(CPACK_PACKAGE_DESCRIPTION "Trains a language model, supervised and by reinforcement learning, to write CUDA programs for the
sparse matrices you give it; compiles, checks and times each of them, on a simulated device where there is no GPU; and shows
training, kernels and evaluations in a desktop window. LibTorch and NVRTC are inside.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The SparseRL Workbench authors <sparserl-workbench@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${LibTorch_ROOT}/lib" "${LibTorch_CUDA_RUNTIME}")
# Opened by name, so that shlibdeps cannot know: pictures of icons, and fonts.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libqt6svg6, fontconfig")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "fonts-dejavu-core, qt6-wayland")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
