/** Where a text ends that was put in; the text between two branchings is kept in one piece. */
type Node = { text: string; id: string | undefined; next: Map<number, Node> | undefined }

/** Texts with a name each, asked for the longest one that stands at a place. */
export type FormTree = {
  insert(form: string, id: string): void
  longestAt(text: string, start: number, limit: number): { readonly end: number; readonly id: string } | undefined
}

export function createFormTree(): FormTree {
  const root: Node = { text: '', id: undefined, next: undefined }
  return {
    insert: (form, id) => insert(root, form, id),
    longestAt: (text, start, limit) => longestAt(root, text, start, limit),
  }
}

function longestAt(root: Node, text: string, start: number, limit: number) {
  let found: { end: number; id: string } | undefined
  let node: Node | undefined = root.next?.get(text.charCodeAt(start))
  let at = start
  while (node !== undefined && at + node.text.length <= limit && text.startsWith(node.text, at)) {
    at += node.text.length
    if (node.id !== undefined) found = { end: at, id: node.id }
    node = at < text.length ? node.next?.get(text.charCodeAt(at)) : undefined
  }
  return found
}

/** Two secrets with one value keep the name that came first. */
function insert(root: Node, form: string, id: string): void {
  let node = root
  let at = 0
  while (at < form.length) {
    node.next ??= new Map()
    const next = node.next.get(form.charCodeAt(at))
    if (next === undefined) {
      node.next.set(form.charCodeAt(at), { text: form.slice(at), id, next: undefined })
      return
    }
    const shared = sharedLength(next.text, form, at)
    if (shared < next.text.length) splitAt(next, shared)
    node = next
    at += shared
  }
  node.id ??= id
}

function sharedLength(text: string, form: string, from: number): number {
  let length = 0
  while (length < text.length && text.charCodeAt(length) === form.charCodeAt(from + length)) length++
  return length
}

function splitAt(node: Node, length: number): void {
  const rest: Node = { text: node.text.slice(length), id: node.id, next: node.next }
  node.next = new Map([[rest.text.charCodeAt(0), rest]])
  node.text = node.text.slice(0, length)
  node.id = undefined
}
