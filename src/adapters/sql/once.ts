/** Loads a thing once, by its name: a batch that expects an entry and ends it asks for it twice. */
export function once<Key, T>(nameOf: (key: Key) => string, load: (key: Key) => T): (key: Key) => T {
  const known = new Map<string, T>()
  return (key) => {
    const name = nameOf(key)
    if (known.has(name)) return known.get(name) as T
    const loaded = load(key)
    known.set(name, loaded)
    return loaded
  }
}
