// Variables with whose memory they use, and whether loaded addresses lie where the compiler put them.

import { useMemo, useState } from "preact/hooks";
import { Name, Section, Size, Table } from "../../components/basics";
import { VirtualTable } from "../../components/virtual-table";
import type { GeProcess, GeReport, GeVariable } from "../../core/ge";
import { bytes, count } from "../../format";
import { textOf, useTexts } from "../../i18n";
import { Nothing } from "./missing";

const hex = (address: string | number) => (typeof address === "number" ? `0x${address.toString(16)}` : address);
const signedBytes = (n: number) => `${n < 0 ? "−" : ""}${bytes(Math.abs(n))}`;

export function Variables({ report }: { report: GeReport }) {
  const t = useTexts();
  const having = report.processes.filter((process) => process.variables.length > 0);
  const loaded = report.processes.filter((process) => process.addresses.addresses > 0);
  return (
    <>
      {having.length === 0 && (
        <Section title={t.ge.variables.title}>
          <Nothing report={report} needed={["imas_mem_variable.csv"]} />
        </Section>
      )}
      {having.map((process) => (
        <Section key={process.pid} title={`${t.ge.variables.title}: ${t.ge.processOf(process.pid, process.name)}`}>
          <Table
            label={t.ge.variables.session}
            head={[t.ge.variables.session, t.ge.variables.number, t.ge.variables.size, t.ge.variables.saved]}
            rows={process.sessions.map((row) => [String(row.session), count(row.count), <Size key="s" of={row.size} />, <Size key="v" of={row.saved} />])}
          />
          <VariableTable variables={process.variables} />
        </Section>
      ))}
      {loaded.length === 0 && (
        <Section title={t.ge.addresses.title}>
          <Nothing report={report} needed={["imas_mem_addr.csv"]} />
        </Section>
      )}
      {loaded.map((process) => (
        <Addresses key={process.pid} process={process} />
      ))}
    </>
  );
}

function VariableTable({ variables }: { variables: readonly GeVariable[] }) {
  const t = useTexts();
  const [search, setSearch] = useState("");
  const [sort, setSort] = useState({ by: "offset", descending: false });
  const [chosen, setChosen] = useState<GeVariable | null>(null);
  const rows = useMemo(() => {
    const needle = search.trim().toLowerCase();
    const kept = variables.filter((row) => needle === "" || row.name.toLowerCase().includes(needle) || (row.reuse_of ?? "").toLowerCase().includes(needle));
    const value = (row: GeVariable): number | string => (sort.by === "name" ? row.name : sort.by === "reuse_of" ? (row.reuse_of ?? "") : Number(row[sort.by as "offset"] ?? -1));
    return kept.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return (x < y ? -1 : x > y ? 1 : 0) * (sort.descending ? -1 : 1);
    });
  }, [variables, search, sort]);
  const columns = [
    { id: "session", name: t.ge.variables.session, width: "80px", number: true },
    { id: "name", name: t.ge.variables.name, width: "minmax(180px, 2fr)" },
    { id: "output", name: t.ge.variables.output, width: "64px", number: true },
    { id: "offset", name: t.ge.variables.offset, width: "150px", number: true },
    { id: "size", name: t.ge.variables.size, width: "110px", number: true },
    { id: "real_size", name: t.ge.variables.real, width: "110px", number: true },
    { id: "reuse_of", name: t.ge.variables.reuse, width: "minmax(140px, 1.4fr)" },
    { id: "reused_by", name: t.ge.variables.reusedBy, width: "100px", number: true },
  ];
  const show = (name: string, session: number) => {
    const target = variables.find((row) => row.name === name && row.session === session && row.reuse_of === null) ?? variables.find((row) => row.name === name);
    setSearch("");
    if (target) setChosen(target);
  };
  const at = chosen ? rows.indexOf(chosen) : -1;
  return (
    <>
      <div class="row toolbar ge-above">
        <input type="search" class="search" placeholder={t.ge.variables.search} aria-label={t.ge.variables.search} value={search} onInput={(event) => setSearch(event.currentTarget.value)} />
        <span role="status" class="faint">
          {t.ge.variables.shown(rows.length, variables.length)}
        </span>
      </div>
      <VirtualTable
        label={t.ge.variables.title}
        columns={columns}
        total={rows.length}
        list={search}
        height={Math.min(416, Math.max(1, rows.length) * 26)}
        sort={sort}
        onSort={(by) => setSort((now) => ({ by, descending: now.by === by && !now.descending }))}
        chosen={at >= 0 ? at : null}
        onChoose={(row) => setChosen(rows[row] ?? null)}
        onVisible={() => undefined}
        cells={(index) => {
          const row = rows[index];
          if (!row) return null;
          return [
            String(row.session),
            <span key="n" title={row.name}>
              {row.name}
            </span>,
            String(row.output),
            row.is_address ? <code key="o">{hex(row.offset)}</code> : <span key="o" title={t.ge.variables.offset}>{count(row.offset)}</span>,
            <Size key="s" of={row.size} />,
            <Size key="r" of={row.real_size} />,
            row.reuse_of === null ? (
              ""
            ) : (
              <button key="l" type="button" class="quiet small link" title={row.reuse_of} onClick={(event) => (event.stopPropagation(), show(row.reuse_of ?? "", row.session))}>
                {row.reuse_of}
              </button>
            ),
            row.reused_by > 0 ? (
              <button key="b" type="button" class="quiet small link" onClick={(event) => (event.stopPropagation(), setSearch(row.name))}>
                {t.ge.variables.nodes(row.reused_by)}
              </button>
            ) : (
              ""
            ),
          ];
        }}
      />
    </>
  );
}

function Addresses({ process }: { process: GeProcess }) {
  const t = useTexts();
  const { addresses } = process;
  return (
    <Section title={`${t.ge.addresses.title}: ${t.ge.processOf(process.pid, process.name)}`}>
      <p>
        {t.ge.addresses.says(addresses.passed, addresses.failed, addresses.without_base)} {addresses.without_offset > 0 && t.ge.addresses.noOffset(addresses.without_offset)}
      </p>
      {addresses.faults.length > 0 && (
        <Table
          label={t.ge.addresses.title}
          head={[t.ge.addresses.name, t.ge.addresses.fault, t.ge.addresses.graph, t.ge.addresses.region, t.ge.addresses.address, t.ge.addresses.base, t.ge.addresses.offset, t.ge.addresses.expected]}
          text={[0, 1, 3]}
          rows={addresses.faults.slice(0, 200).map((fault) => [
            <Name key="n" text={fault.name} />,
            textOf(t.ge.addresses.faults, fault.fault),
            String(fault.graph),
            fault.region,
            <code key="a">{hex(fault.address)}</code>,
            <code key="b">{hex(fault.base)}</code>,
            <span key="o" title={signedBytes(fault.offset)}>
              {count(fault.offset)}
            </span>,
            fault.expected_offset === null ? "?" : count(fault.expected_offset),
          ])}
        />
      )}
    </Section>
  );
}
