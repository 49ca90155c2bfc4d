import type { InputHTMLAttributes, ReactNode, SelectHTMLAttributes } from 'react'
import { useId } from 'react'
import { classNames } from './class-names.ts'

const box = 'w-full rounded-md border border-line bg-raised px-2.5 py-1.5 text-sm placeholder:text-muted'

type Labelled = { readonly label: string; readonly hint?: ReactNode; readonly hideLabel?: boolean }

function Label({ id, label, hint, hideLabel }: Labelled & { readonly id: string }) {
  return (
    <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1 block text-xs font-medium text-muted'}>
      {label}
      {hint !== undefined && <span className="ml-1 font-normal">{hint}</span>}
    </label>
  )
}

export function TextField({
  label,
  hint,
  hideLabel = false,
  className,
  ...rest
}: Labelled & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId()
  return (
    <div className={className}>
      <Label id={id} label={label} hint={hint} hideLabel={hideLabel} />
      <input id={id} className={box} {...rest} />
    </div>
  )
}

export function SelectField({
  label,
  hint,
  hideLabel = false,
  className,
  children,
  ...rest
}: Labelled & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId()
  return (
    <div className={className}>
      <Label id={id} label={label} hint={hint} hideLabel={hideLabel} />
      <select id={id} className={classNames(box, 'cursor-pointer')} {...rest}>
        {children}
      </select>
    </div>
  )
}

export function TextAreaField({
  label,
  hint,
  hideLabel = false,
  className,
  ...rest
}: Labelled & React.TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId()
  return (
    <div className={className}>
      <Label id={id} label={label} hint={hint} hideLabel={hideLabel} />
      <textarea id={id} className={classNames(box, 'min-h-24 font-sans')} {...rest} />
    </div>
  )
}
