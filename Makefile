# make            builds build/witan
# make help       lists the other targets
#
# Each variant has a folder of its own: make BUILD=build/asan SAN=address,undefined

BUILD   ?= build
PREFIX  ?= /usr/local
SAN     ?=
VERSION := $(shell cat VERSION)

ifeq ($(origin CC),default)
CC := gcc
endif

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-builtin-rules

# Libraries

PKGS := sqlite3 libpq jansson yaml-0.1 libsodium libcurl zlib libcrypto libseccomp libedit ncursesw libutf8proc
ifneq ($(filter-out clean help format bare ui uninstall uninstall-program,$(or $(MAKECMDGOALS),all)),)
PKG_CFLAGS := $(shell pkg-config --cflags $(PKGS))
PKG_LIBS   := $(shell pkg-config --libs $(PKGS))
ifeq ($(PKG_LIBS),)
$(error a library is missing; ./dev run installs what the build needs)
endif
endif
LDLIBS := $(PKG_LIBS) -lwslay -lpthread -lm

# Flags

WARN     := -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wshadow -Wconversion -Werror
STD      := -std=c17 -D_GNU_SOURCE
INCLUDES := -Isrc -I$(BUILD)/include -I. $(PKG_CFLAGS)

# What keeps a program from being led elsewhere differs by processor.
CONTROL_FLOW := $(if $(filter x86_64,$(shell uname -m)),-fcf-protection=full)
ifeq ($(shell uname -m),aarch64)
CONTROL_FLOW := -mbranch-protection=standard
endif

ifeq ($(SAN),)
# Backtraces show lines; all that a debugger can tell (OPT='-O0 -g') costs a seventh of the first build.
OPT     ?= -O2 -g1
HARDEN  := -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection $(CONTROL_FLOW)
LDFLAGS += -Wl,-z,relro,-z,now,-z,noexecstack
else
# Lines of the source are what a report shows.
OPT     ?= -O1 -g1
HARDEN  := -fsanitize=$(SAN) -fno-sanitize-recover=all -fno-omit-frame-pointer
LDFLAGS += -fsanitize=$(SAN)
endif

ALL_CFLAGS  := $(STD) $(WARN) $(OPT) $(HARDEN) -fexceptions -fPIE -pthread $(INCLUDES) $(CFLAGS)
ALL_LDFLAGS := -pie -pthread $(LDFLAGS)

# Files

SOURCES     := $(sort $(wildcard src/*/*.c src/*/*/*.c src/*/*/*/*.c))
NOUNS       := $(sort $(wildcard src/core/*/*.noun src/core/*/*/*.noun))
NOUN_NAMES  := $(notdir $(NOUNS:%.noun=%))
OBJECTS     := $(SOURCES:%.c=$(BUILD)/obj/%.o) $(BUILD)/obj/gen/sql.o $(BUILD)/obj/gen/prompts.o $(BUILD)/obj/gen/assets.o \
	$(NOUN_NAMES:%=$(BUILD)/obj/gen/nouns/%.o)
SQL         := $(sort $(wildcard src/db/sql/*.sql))
MIGRATIONS  := $(sort $(wildcard src/db/migrations/*.sql))
PROMPTS     := $(sort $(wildcard src/prompts/*.txt))
SQL_FOLDERS := $(wildcard src/db/sql src/db/migrations)
TOOL_OBJS   := $(BUILD)/obj/tools/sqlblocks.o $(BUILD)/obj/tools/sqlcolumns.o $(BUILD)/obj/tools/nounfile.o
NOUN_HEADERS := $(NOUN_NAMES:%=$(BUILD)/include/gen/nouns/%.h) $(NOUN_NAMES:%=$(BUILD)/include/gen/nouns/%_fields.h)
GEN         := $(NOUN_HEADERS) $(BUILD)/include/gen/sql.h $(BUILD)/include/gen/prompts.h $(BUILD)/include/gen/version.h

# The pages for people: what they are made from, and the files they become.
UI_SOURCES  := $(sort $(shell find ui/src ui/public ui/scripts -type f 2>/dev/null)) $(wildcard ui/*.json ui/*.ts ui/*.html)

LIB         := $(BUILD)/libwitan.a
TOOL_LIB    := $(BUILD)/libtools.a
SUPPORT_LIB := $(BUILD)/libsupport.a
SUPPORT     := $(sort $(wildcard tests/support/*.c))
UNIT        := $(sort $(wildcard tests/unit/*/test_*.c tests/unit/*/*/test_*.c tests/unit/*/*/*/test_*.c))
unit_bin     = $(BUILD)/tests/unit/$(subst /,_,$(subst /test_,/,$(1:tests/unit/%.c=%)))
UNIT_BINS   := $(foreach u,$(UNIT),$(call unit_bin,$(u)))
CONTRACT    := $(sort $(wildcard tests/contract/*.c))
CONFORMANCE := $(sort $(wildcard tests/conformance/*.c))
FAULTS      := $(sort $(wildcard tests/faults/*.c))
FUZZ        := $(sort $(wildcard tests/fuzz/fuzz_*.c))

CONTRACT_BIN := $(if $(CONTRACT),$(BUILD)/tests/contract)
FIXTURES_BIN := $(if $(CONFORMANCE),$(BUILD)/tests/witan-fixtures)
FAULT_BINS   := $(FAULTS:tests/faults/%.c=$(BUILD)/tests/faults/%)
FUZZ_BINS    := $(FUZZ:tests/fuzz/%.c=$(BUILD)/tests/fuzz/%)
PLANTED_BINS := $(FUZZ:tests/fuzz/%.c=$(BUILD)/tests/planted/%)

## all: the program, build/witan, with the pages that `make ui` has built
.PHONY: all
all: $(BUILD)/witan

# All of it but the pages, which may still be on their way.
.PHONY: objects
objects: $(BUILD)/obj/src/main.o $(filter-out %/gen/assets.o,$(OBJECTS))

$(BUILD)/witan: $(BUILD)/obj/src/main.o $(LIB)
	@echo "  link  $@"
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

# An archive keeps the members of deleted sources, so it is made anew; the list of sources is an input.
$(LIB): $(OBJECTS) $(BUILD)/objects.list
	@rm -f $@ && ar rcs $@ $(OBJECTS)

$(BUILD)/objects.list: FORCE
	@mkdir -p $(@D)
	@echo '$(OBJECTS)' | cmp -s - $@ || echo '$(OBJECTS)' >$@

# A change of compiler or flags rebuilds what was made with the old ones.
$(BUILD)/flags: FORCE
	@mkdir -p $(@D)
	@echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)' >$@

.PHONY: FORCE
FORCE:

$(BUILD)/obj/gen/%.o: $(BUILD)/gen/%.c $(BUILD)/flags | $(GEN)
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(BUILD)/obj/%.o: %.c $(BUILD)/flags | $(GEN)
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Generated files. mknouns and mksql leave a file alone whose content stays the same, hence the stamps.

$(BUILD)/tools/mknouns: tools/mknouns.c $(wildcard tools/noun*.c tools/noun*.h tools/gen*.c tools/gen*.h)
	@mkdir -p $(@D)
	@$(CC) $(STD) $(WARN) -O1 -g -I. -o $@ $(filter %.c,$^)

# Which nouns there are is an input, too: one that went away leaves the lists.
$(BUILD)/nouns.list: FORCE
	@mkdir -p $(@D)
	@echo '$(NOUNS)' | cmp -s - $@ || echo '$(NOUNS)' >$@

$(BUILD)/gen/nouns.stamp: $(BUILD)/tools/mknouns $(NOUNS) $(BUILD)/nouns.list
	@mkdir -p $(BUILD)/gen/nouns $(BUILD)/include/gen/nouns
	@$(BUILD)/tools/mknouns $(BUILD)/gen $(BUILD)/include/gen $(NOUNS)
	@touch $@

$(NOUN_HEADERS) $(NOUN_NAMES:%=$(BUILD)/gen/nouns/%.c) $(BUILD)/gen/nouns.sql: $(BUILD)/gen/nouns.stamp ;

$(BUILD)/tools/mksql: tools/mksql.c $(wildcard tools/sql*.c tools/sql*.h tools/gen*.c tools/gen*.h)
	@mkdir -p $(@D)
	@$(CC) $(STD) $(WARN) -O1 -g -I. -o $@ $(filter %.c,$^)

$(BUILD)/gen/sql.stamp: $(BUILD)/tools/mksql $(BUILD)/gen/nouns.sql $(SQL) $(MIGRATIONS) $(SQL_FOLDERS)
	@mkdir -p $(BUILD)/gen $(BUILD)/include/gen
	@$(BUILD)/tools/mksql $(BUILD)/include/gen/sql.h $(BUILD)/gen/sql.c $(BUILD)/gen/nouns.sql $(SQL) --migrations $(MIGRATIONS)
	@touch $@

$(BUILD)/include/gen/sql.h $(BUILD)/gen/sql.c: $(BUILD)/gen/sql.stamp ;

$(BUILD)/tools/mkprompts: tools/mkprompts.c
	@mkdir -p $(@D)
	@$(CC) $(STD) $(WARN) -O1 -g -o $@ $<

$(BUILD)/gen/prompts.stamp: $(BUILD)/tools/mkprompts $(PROMPTS) src/prompts
	@mkdir -p $(BUILD)/gen $(BUILD)/include/gen
	@$(BUILD)/tools/mkprompts $(BUILD)/include/gen/prompts.h $(BUILD)/gen/prompts.c $(PROMPTS)
	@touch $@

$(BUILD)/include/gen/prompts.h $(BUILD)/gen/prompts.c: $(BUILD)/gen/prompts.stamp ;

$(BUILD)/include/gen/version.h: VERSION
	@mkdir -p $(@D)
	@printf '#define WITAN_VERSION "%s"\n' '$(VERSION)' >$@

# The built pages become part of the program. Without npm, and without a release that carries them, there are none.

$(BUILD)/tools/mkassets: tools/mkassets.c
	@mkdir -p $(@D)
	@$(CC) $(STD) $(WARN) -O1 -g -o $@ $< -lz

# Which files there are is known only once they were built, so they are listed then, with their times; `make ui all` waits
# for it.
$(BUILD)/assets.list: $(if $(filter ui,$(MAKECMDGOALS)),ui/dist/.built) FORCE
	@mkdir -p $(@D)
	@find ui/dist -type f ! -name '.*' -printf '%p %s %T@\n' 2>/dev/null | LC_ALL=C sort >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/gen/assets.c: $(BUILD)/tools/mkassets $(BUILD)/assets.list
	@mkdir -p $(BUILD)/gen/assets
	@$(BUILD)/tools/mkassets $@ $(BUILD)/gen/assets ui/dist $$(cut -d' ' -f1 $(BUILD)/assets.list)

## ui: the pages for people, with npm; `make` builds them into the program
.PHONY: ui
ui: ui/dist/.built

ui/dist/.built: $(UI_SOURCES)
	@echo "  ui    ui/dist"
	@cd ui && npm run --silent build
	@touch $@

## ui-check: the types, the rules and the core of the pages, without a browser
.PHONY: ui-check
ui-check:
	@cd ui && npm run --silent check && npm run --silent check:planted && npm test --silent

# The program with the pages as they are now.
.PHONY: with-pages
with-pages:
	@$(MAKE) --no-print-directory ui all

## screenshots: pictures of every page in build/screenshots (ONLY=word: some of them)
.PHONY: screenshots pictures
screenshots: with-pages
	@ONLY='$(ONLY)' node tests/screenshots.mjs

## pictures: those of the README, docs/pictures
pictures: with-pages
	@node tests/screenshots.mjs readme

## lighthouse: how quickly the pages come on a phone, measured by Lighthouse (ONLY=word, RUNS=1: once each)
.PHONY: lighthouse
lighthouse: with-pages
	@[ -d tests/lighthouse/node_modules ] || (cd tests/lighthouse && npm ci --prefer-offline --ignore-scripts --no-progress --loglevel=error)
	@ONLY='$(ONLY)' RUNS='$(RUNS)' node tests/lighthouse/run.mjs

## dist: a release tarball that carries the built pages, so that building it needs no npm
.PHONY: dist
dist: ui
	@mkdir -p $(BUILD)
	@git archive --prefix=witan-$(VERSION)/ -o $(BUILD)/witan-$(VERSION).tar HEAD
	@touch ui/dist/.released
	@tar --append -f $(BUILD)/witan-$(VERSION).tar --owner=0 --group=0 --transform 's|^|witan-$(VERSION)/|' $$(find ui/dist -type f | LC_ALL=C sort)
	@rm ui/dist/.released
	@gzip -9nf $(BUILD)/witan-$(VERSION).tar
	@echo $(BUILD)/witan-$(VERSION).tar.gz

# Tests. Every tests/unit/DIR/test_NAME.c is a program of its own, tests/unit/DIR_NAME; in a room of core,
# tests/unit/core_ROOM_NAME; among the council's rules, tests/unit/core_council_rules_NAME.

TEST_LIBS := $(if $(SUPPORT),$(SUPPORT_LIB)) $(LIB) $(TOOL_LIB)

$(TOOL_LIB): $(TOOL_OBJS)
	@rm -f $@ && ar rcs $@ $^

$(SUPPORT_LIB): $(SUPPORT:%.c=$(BUILD)/obj/%.o)
	@rm -f $@ && ar rcs $@ $^

define UNIT_RULE
$(call unit_bin,$(1)): $(1:%.c=$(BUILD)/obj/%.o) $(TEST_LIBS)
	@mkdir -p $$(@D)
	@$$(CC) $$(ALL_LDFLAGS) -o $$@ $$^ -lcmocka $$(LDLIBS)
endef
$(foreach u,$(UNIT),$(eval $(call UNIT_RULE,$(u))))

# All of the library is linked, needed or not: a helper of the tests by the name of a function of ours would else stand in for it.
$(BUILD)/tests/contract: $(CONTRACT:%.c=$(BUILD)/obj/%.o) $(TEST_LIBS)
	@mkdir -p $(@D)
	@$(CC) $(ALL_LDFLAGS) -o $@ $(filter-out $(LIB),$^) -Wl,--whole-archive $(LIB) -Wl,--no-whole-archive -lcmocka $(LDLIBS)

# The program with what conformance suites call.
$(BUILD)/tests/witan-fixtures: $(CONFORMANCE:%.c=$(BUILD)/obj/%.o) $(LIB)
	@mkdir -p $(@D)
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/tests/faults/%: $(BUILD)/obj/tests/faults/%.o $(TEST_LIBS)
	@mkdir -p $(@D)
	@$(CC) $(ALL_LDFLAGS) -o $@ $^ -lcmocka $(LDLIBS)

$(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(TEST_LIBS)
	@mkdir -p $(@D)
	@$(CC) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

$(BUILD)/tests/planted/%: tests/fuzz/%.c $(wildcard tests/fuzz/*.h) $(TEST_LIBS)
	@mkdir -p $(@D)
	@$(CC) $(ALL_CFLAGS) -DFUZZ_PLANT $(addprefix -include ,$(wildcard tests/fuzz/plant_$*.h)) $(ALL_LDFLAGS) \
		-fsanitize=fuzzer -o $@ $(filter-out %.h,$^) $(LDLIBS)

## check: unit and contract tests on this build
.PHONY: check unit contract faults tests
check: unit contract

# What the tests need, built but not run.
tests: all $(UNIT_BINS) $(CONTRACT_BIN) $(FAULT_BINS) $(FIXTURES_BIN)

# The one that stops its server has a server of its own. It mostly waits, so it begins first.
STOPS_SERVER := $(BUILD)/tests/unit/db_pool

## unit: the unit tests of this build
unit: $(UNIT_BINS)
	@tests/pg run tools/runtests 'tests/pg run $(STOPS_SERVER)' $(filter-out $(STOPS_SERVER),$(UNIT_BINS))

## contract: the contract tests of this build, on both engines
contract: all $(CONTRACT_BIN)
	@[ -z "$(CONTRACT_BIN)" ] || WITAN_BIN=$(BUILD)/witan tests/pg run \
		tools/runtests -v '$(CONTRACT_BIN) sqlite/*' '$(CONTRACT_BIN) postgres/*'

## faults: power cuts, full disks and the like, on this build
faults: all $(FAULT_BINS)
	@[ -z "$(FAULT_BINS)" ] || WITAN_BIN=$(BUILD)/witan tests/pg run tools/runtests $(FAULT_BINS)

## asan: unit and contract tests with the address and undefined behaviour sanitizers
.PHONY: asan tsan
asan:
	@$(MAKE) BUILD=build/asan SAN=address,undefined check

## tsan: unit and contract tests with the thread sanitizer
tsan:
	@$(MAKE) BUILD=build/tsan SAN=thread check

## fuzz: every fuzz target for SECONDS_EACH seconds, on a copy of its corpus
SECONDS_EACH ?= 60
.PHONY: fuzz fuzz-bins
fuzz:
	@$(MAKE) BUILD=build/fuzz CC=clang SAN=fuzzer-no-link,address,undefined fuzz-bins
	@tools/runfuzz $(SECONDS_EACH) $(FUZZ:tests/fuzz/%.c=build/fuzz/tests/fuzz/%)

fuzz-bins: $(FUZZ_BINS)

## fuzz-planted: show that every fuzz target finds the bug planted in it
.PHONY: fuzz-planted planted-bins
fuzz-planted:
	@$(MAKE) BUILD=build/fuzz CC=clang SAN=fuzzer-no-link,address,undefined planted-bins
	@tests/fuzz/planted 120 $(FUZZ:tests/fuzz/%.c=build/fuzz/tests/planted/%)

planted-bins: $(PLANTED_BINS)

## bench: speed, as ratios against limits measured in the same run
.PHONY: bench
bench: all
	@bench/run

## lint: layout, layers, and generated files
.PHONY: lint format
lint: all
	@tools/lint $(BUILD)

## format: lay out all C files
format:
	@clang-format -i $$(git ls-files '*.c' '*.h')

## docs: write docs/api.md, docs/events.md and the pages' client anew from the tables
.PHONY: docs
docs: all
	@for page in api events; do \
		$(BUILD)/witan docs $$page >$(BUILD)/$$page.md && mv $(BUILD)/$$page.md docs/$$page.md; done
	@for page in openapi asyncapi; do $(BUILD)/witan docs $$page >$(BUILD)/$$page.json; done
	@! command -v node >/dev/null || { node ui/scripts/client.mjs $(BUILD)/openapi.json $(BUILD)/asyncapi.json >$(BUILD)/api.gen.ts && \
		mv $(BUILD)/api.gen.ts ui/src/core/api.gen.ts; }

## bare: both commands in a fresh Debian (SUITE=bookworm|trixie; BARE_TEST=0: only ./dev run)
SUITE ?= bookworm
.PHONY: bare
bare:
	@SUITE=$(SUITE) tools/bare

# Below $(PREFIX): what everybody needs, and what a service needs.
# The guide comes with the pages that it leads to.
PAGES         := SECURITY.md $(addprefix docs/,guide.md api.md events.md agents.md) $(wildcard docs/decisions/*.md)
PROGRAM_FILES := bin/witan share/man/man1/witan.1 share/bash-completion/completions/witan share/zsh/vendor-completions/_witan \
	share/fish/vendor_completions.d/witan.fish $(addprefix share/doc/witan/,LICENSE $(PAGES:docs/%=%))
SERVICE_FILES := lib/sysusers.d/witan.conf lib/systemd/system/witan.service
INTO          := $(DESTDIR)$(PREFIX)

## install: into $(DESTDIR)$(PREFIX), with a systemd unit
.PHONY: install install-program uninstall uninstall-program
install: install-program
	install -D -m 644 packaging/witan.sysusers $(INTO)/lib/sysusers.d/witan.conf
	mkdir -p $(INTO)/lib/systemd/system
	sed 's|@PREFIX@|$(PREFIX)|g' packaging/witan.service >$(INTO)/lib/systemd/system/witan.service
	chmod 644 $(INTO)/lib/systemd/system/witan.service

## install-program: the same without the unit, as `./dev install --user` does it
install-program: all
	install -D -m 755 $(BUILD)/witan $(INTO)/bin/witan
	mkdir -p $(addprefix $(INTO)/share/,man/man1 bash-completion/completions zsh/vendor-completions fish/vendor_completions.d)
	$(BUILD)/witan docs man >$(INTO)/share/man/man1/witan.1
	$(BUILD)/witan completion bash >$(INTO)/share/bash-completion/completions/witan
	$(BUILD)/witan completion zsh >$(INTO)/share/zsh/vendor-completions/_witan
	$(BUILD)/witan completion fish >$(INTO)/share/fish/vendor_completions.d/witan.fish
	install -D -m 644 LICENSE $(INTO)/share/doc/witan/LICENSE
	for page in $(PAGES); do sed 's|](\.\./SECURITY|](SECURITY|g; s|](docs/|](|g' $$page | \
		install -D -m 644 /dev/stdin $(INTO)/share/doc/witan/$${page#docs/}; done

## uninstall: what `make install` has put there; settings and stores stay
uninstall: uninstall-program
	rm -f $(addprefix $(INTO)/,$(SERVICE_FILES))

uninstall-program:
	rm -f $(addprefix $(INTO)/,$(PROGRAM_FILES))
	[ ! -d $(INTO)/share/doc/witan ] || \
		find $(INTO)/share/doc/witan -depth -type d -exec rmdir --ignore-fail-on-non-empty {} +

## deb: a Debian package, build/witan_VERSION_ARCH.deb
.PHONY: deb
deb: all
	@tools/mkdeb $(BUILD) $(VERSION)

## clean: remove everything that was built
.PHONY: clean help
clean:
	rm -rf build

## help: this list
help:
	@sed -n 's/^## /make /p' Makefile | sed 's/: /\t/' | expand -t 20

-include $(shell find $(BUILD)/obj -name '*.d' 2>/dev/null)
