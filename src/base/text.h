/* base/text.h: texts that come from anywhere, before a person or a document gets them. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* How many bytes the character has that the text begins with; 0 if these are no UTF-8, or something
 * that a terminal obeys or no document may hold. */
size_t text_character(const char *text, size_t size);
/* Puts '?' in the place of each byte of no such character; line ends and tabs stay. */
void text_make_plain(char *text, size_t size);
/* Writes a text as part of a line: ' ' in the place of each such byte, line ends among them. */
void text_put(FILE *to, const char *text);
/* The same within an element or an attribute of XML. */
void text_put_xml(FILE *to, const char *text);

#endif
