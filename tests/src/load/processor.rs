//! Processor time and memory of a process on this machine, from `/proc`.

use std::fs;
use std::path::Path;
use std::time::Duration;

/// What the kernel counts processor time in, for every program: a hundredth of a second.
const TICK: Duration = Duration::from_millis(10);

/// A process on this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(u32);

impl Process {
    /// The process of that id.
    #[must_use]
    pub fn new(id: u32) -> Self {
        Self(id)
    }

    /// This process.
    #[must_use]
    pub fn own() -> Self {
        Self(std::process::id())
    }

    /// Its name and its id, as in `fake-sqs (4711)`.
    #[must_use]
    pub fn name(self) -> String {
        let name = fs::read_to_string(format!("/proc/{}/comm", self.0)).unwrap_or_default();
        format!("{} ({})", name.trim_end(), self.0)
    }

    /// The processes that listen on a port of this machine, as far as we may know: where a server has begun others
    /// to share it with, all of them.
    #[must_use]
    pub fn listening(port: u16) -> Vec<Self> {
        let inodes: Vec<String> = ["/proc/net/tcp", "/proc/net/tcp6"]
            .iter()
            .filter_map(|table| fs::read_to_string(table).ok())
            .flat_map(|table| listeners(&table, port))
            .collect();
        let names: Vec<String> = inodes
            .iter()
            .map(|inode| format!("socket:[{inode}]"))
            .collect();
        let processes = fs::read_dir("/proc").into_iter().flatten();
        let ids = processes.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        ids.map(Self)
            .filter(|process| process.holds(&names))
            .collect()
    }

    fn holds(self, names: &[String]) -> bool {
        let Ok(open) = fs::read_dir(format!("/proc/{}/fd", self.0)) else {
            return false;
        };
        open.flatten().any(|entry| {
            let link = fs::read_link(entry.path()).unwrap_or_default();
            names.iter().any(|name| Path::new(name) == link)
        })
    }

    /// The processor time that all its threads have taken, to a hundredth of a second.
    #[must_use]
    pub fn time(self) -> Option<Duration> {
        time_in(&fs::read_to_string(format!("/proc/{}/stat", self.0)).ok()?)
    }

    /// The memory that it has of the machine's, in bytes.
    #[must_use]
    pub fn memory(self) -> Option<u64> {
        memory_in(&fs::read_to_string(format!("/proc/{}/status", self.0)).ok()?)
    }
}

/// The inodes of the sockets that listen on a port.
fn listeners(table: &str, port: u16) -> Vec<String> {
    let is_port = format!(":{port:04X}");
    let rows = table.lines().skip(1);
    rows.filter_map(|row| {
        let fields: Vec<&str> = row.split_whitespace().collect();
        let (local, state, inode) = (fields.get(1)?, fields.get(3)?, fields.get(9)?);
        // 0A is LISTEN.
        (local.ends_with(&is_port) && *state == "0A").then(|| (*inode).to_owned())
    })
    .collect()
}

/// User and system time of `/proc/PID/stat`. The program's name, in parentheses, may hold anything.
fn time_in(stat: &str) -> Option<Duration> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(TICK * user.checked_add(system)?)
}

fn memory_in(status: &str) -> Option<u64> {
    let row = status.lines().find_map(|row| row.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = row.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_follow_a_name_of_any_kind() {
        let stat = "12 (a) b) (c) S 1 12 12 0 -1 4194304 9 0 0 0 150 27 0 0 20 0 3 0 99 1 2";
        assert_eq!(time_in(stat), Some(Duration::from_millis(1_770)));
        assert_eq!(time_in("12 (a) S 1"), None);
    }

    #[test]
    fn memory_is_in_bytes() {
        assert_eq!(memory_in("Name:\tx\nVmRSS:\t    12 kB\n"), Some(12_288));
        assert_eq!(memory_in("Name:\tkthread\n"), None);
    }

    #[test]
    fn listeners_are_found_by_port_and_state() {
        let table = "  sl  local_address rem_address   st tx rx tr tm retrnsmt uid timeout inode\n\
             0: 0100007F:246C 00000000:0000 0A 0:0 0:0 0 0 0 4711 1\n\
             1: 0100007F:246C 0100007F:9999 01 0:0 0:0 0 0 0 4712 1\n\
             2: 0100007F:246D 00000000:0000 0A 0:0 0:0 0 0 0 4713 1\n";
        assert_eq!(listeners(table, 0x246c), ["4711"]);
        assert!(listeners("", 1).is_empty());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_time_memory_and_ports() {
        let own = Process::own();
        assert!(own.time().is_some());
        assert!(own.memory().is_some_and(|bytes| bytes > 100_000));
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        assert!(own.name().ends_with(&format!(" ({})", own.0)));
        // A child that was given the socket, as the workers of some servers are.
        let socket = listener.try_clone().expect("another descriptor");
        let child = std::process::Command::new("sleep")
            .arg("60")
            .stdin(std::os::fd::OwnedFd::from(socket))
            .spawn();
        let mut child = child.expect("a child");
        let found = Process::listening(port);
        child.kill().and_then(|()| child.wait()).expect("its end");
        let both = [own, Process(child.id())];
        assert!(both.iter().all(|one| found.contains(one)), "{found:?}");
    }
}
