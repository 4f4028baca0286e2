; Headings of the document only.
(list) @skip
(block_quote) @skip

(atx_heading) @read.markup.heading
(setext_heading) @read.markup.heading
