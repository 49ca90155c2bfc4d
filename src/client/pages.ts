type Page<Name extends string, Item> = { readonly [name in Name]: readonly Item[] } & {
  readonly cursor?: string | undefined
}

/** Everything a list has, page after page, fetched as it is asked for. */
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
