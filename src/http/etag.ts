/** Whether an `If-None-Match` header matches an ETag. The header is a list, tags may be weak, and `*` matches any. */
export function isKnownTag(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  return tags.includes(etag) || tags.includes('*')
}
