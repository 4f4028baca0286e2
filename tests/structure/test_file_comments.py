from __future__ import annotations

import pytest

from filewright.structure.file_comments import is_directive, is_file_comment


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("#!/bin/sh", True),
        ("// eslint-disable-next-line no-console", False),
        ("// eslint-disable-line", False),
        ("// prettier-ignore", False),
        ("/* eslint-disable no-console */", True),
        ("# ex: f(1) is 2", False),
        ("# region where it counts", True),
        ("# Region where it counts", False),
        ("# Global state", False),
        ("//go:noinline", False),
        ("//go:embed x.txt", False),
        ("# rubocop:disable Metrics/MethodLength", True),
        ("// swiftlint:disable:next force_cast", False),
        ("# type: ignore", False),
        ("# The type: a string", False),
        ("# typed: what it says", False),
        ("// TODO: move", False),
        ("", False),
        ("/*\n * jshint esversion: 6\n */", True),
        ("<!-- prose -->", False),
    ],
)
def test_directive(comment: str, expected: bool) -> None:
    assert is_directive(comment) is expected


@pytest.mark.parametrize(
    "comment",
    [
        "// Permission is hereby granted, free of charge, to any person obtaining a copy",
        "# Redistribution and use in source and binary forms, with or without",
        "// This program is free software: you can redistribute it and/or modify",
        "-- Permission to use, copy, modify, and distribute this software",
        "/* This is free and unencumbered software released into the public domain. */",
        '// The software is provided "as is"',
        "// Distributed in the hope that it will be useful, but WITHOUT ANY WARRANTY",
    ],
)
def test_licence_without_its_word(comment: str) -> None:
    assert is_file_comment(comment)
