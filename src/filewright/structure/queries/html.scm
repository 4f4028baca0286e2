; A heading, or an element with an id, or a landmark; others are looked into.
((element (start_tag) @when) @heading (#set! when "(?i)<h[1-6]\\b.*")
  (#set! shown "^<(\\w+)[^>]*>(?: ?<[^>]*>)*$|<[^>]*> → \\1"))
([(element . (start_tag) @name . (_)) @element (element . (start_tag) @name @element .)
  (element (self_closing_tag) @name) @element
  (script_element (start_tag) @name) @element (style_element (start_tag) @name) @element]
  (#set! when "(?i)<(?:(?:html|head|body|header|footer|main|nav|section|article|aside|form|table|script|style|template|dialog|fieldset|figure|details|svg)[\\s/>].*|[^>]*\\sid\\s*=\\s*(?:\"[^\"]|'[^']|[^\"'\\s>]).*)")
  (#set! first) (#set! nests) (#set! known "^.*?# →")
  (#set! shown "(?i)^<(\\S+).*?\\sid ?= ?[\"']?((?<=\")[^\"]+|(?<=')[^']+|[^\"' >]+).*$ → \\1#\\2\n^<([^ />]+).*$ → \\1"))
