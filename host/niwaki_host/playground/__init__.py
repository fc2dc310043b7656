"""Niwaki in a browser: a static page on which MicroPython itself learns, in WebAssembly."""
