import type { BundlePage, Manifest } from "../../api/records";
import { bytes, NONE } from "../../format/numbers";
import { Table } from "../../parts/table";
import { Download } from "../../parts/text";

/** The raw files, the manifest and its signature, to be saved. */
export function Files({ page, manifest }: { readonly page: BundlePage; readonly manifest: Manifest }) {
  const urls = new Map(page.files.map(file => [file.sha256, file.url]));
  const address = `/api/v1/bundles/${page.bundle.bundle_id}`;
  return (
    <>
      <p class="downloads">
        <Download href={`${address}/manifest`}>manifest</Download>
        {page.bundle.signature === "absent" ? (
          <span class="quiet">no signature</span>
        ) : (
          <Download href={`${address}/envelope`}>signature (DSSE envelope)</Download>
        )}
      </p>
      <Table
        caption="Files"
        rows={manifest.files}
        rowKey={file => `${file.name} ${file.sha256}`}
        columns={[
          { head: "name", cell: file => file.name },
          { head: "save", cell: file => <Saved url={urls.get(file.sha256)} name={file.name} /> },
          { head: "role", cell: file => file.role },
          { head: "eval", cell: file => file.eval_id ?? NONE },
          { head: "arm", cell: file => file.arm ?? NONE },
          { head: "size", numeric: true, cell: file => <span class="nowrap">{bytes(file.size_bytes)}</span> },
          { head: "SHA-256", cell: file => <span class="digest">{file.sha256}</span> },
        ]}
      />
    </>
  );
}

function Saved({ url, name }: { readonly url: string | undefined; readonly name: string }) {
  if (url === undefined) return <>{NONE}</>;
  return (
    <Download href={url}>
      save <span class="hidden">{name}</span>
    </Download>
  );
}
