type Page<Name extends string, Item> = { readonly [name in Name]: readonly Item[] } & {
  readonly cursor?: string | undefined
}

/** All items of a list. The next page is fetched when its first item is needed. */
export async function* eachOf<Name extends string, Item>(
  name: Name,
  fetchPage: (cursor: { cursor?: string }) => Promise<Page<Name, Item>>,
): AsyncGenerator<Item, void, undefined> {
  for (let at: { cursor?: string } | null = {}; at !== null; ) {
    const page: Page<Name, Item> = await fetchPage(at)
    yield* page[name]
    at = page.cursor === undefined ? null : { cursor: page.cursor }
  }
}
