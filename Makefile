# For habit: everything is in ./dev and CMake.
PREFIX ?= /usr/local

all:
	./dev build

demo test bench sanitize fuzz format:
	./dev $@

install: all
	cmake --install build --prefix "$(DESTDIR)$(PREFIX)"

package: all
	cd build && cpack

clean:
	rm -rf build build-*

.PHONY: all demo test bench sanitize fuzz format install package clean
