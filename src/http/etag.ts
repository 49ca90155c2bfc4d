/** `If-None-Match` is a list, its tags may be marked weak, and a star means any. */
export function isKnownTag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
