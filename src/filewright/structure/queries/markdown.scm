; Headings of the document only.
(list) @skip
(block_quote) @skip

; A heading is shown without the marks of emphasis, code and links: as a reader sees it.
((atx_heading . (_) @level heading_content: (_)? @name) @heading
  (#set! shown "(?:^|\\s)#+$|(?<!\\\\)(?:\\*{1,3}|`+|~~|(?<!\\w)_{1,3}|_{1,3}(?!\\w))|!?\\[(?=[^]]*\\]\\()|\\]\\([^)]*\\) →"))
((setext_heading heading_content: (_) @name (_) @level) @heading
  (#set! shown "(?<!\\\\)(?:\\*{1,3}|`+|~~|(?<!\\w)_{1,3}|_{1,3}(?!\\w))|!?\\[(?=[^]]*\\]\\()|\\]\\([^)]*\\) →"))
