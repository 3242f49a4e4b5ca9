/** A QR code as an image without a file: a secret in it never leaves the page. */
import encodeQR from 'qr';
import { type JSX, useMemo } from 'react';

/** Quiet zone of four modules (ISO/IEC 18004). */
const BORDER = 4;

export function QrCode({ text, label }: { text: string; label: string }): JSX.Element {
  const { size, path } = useMemo(() => {
    const rows = encodeQR(text, 'raw', { border: BORDER, ecc: 'low' });
    const modules = rows.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { size: rows.length, path: modules.join('') };
  }, [text]);
  return (
    <svg role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} className="size-56" shapeRendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}
