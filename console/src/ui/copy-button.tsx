import { useState } from 'react'
import { Button } from './button.tsx'

/** Copies a text. If the browser refuses, the text beside the button can still be selected. */
export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [state, setState] = useState<'ready' | 'copied' | 'refused'>('ready')
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      setState('copied')
    } catch {
      setState('refused')
    }
  }
  return (
    <Button onClick={copy}>
      {state === 'ready' ? label : state === 'copied' ? 'Copied' : 'Select the text to copy it'}
    </Button>
  )
}
