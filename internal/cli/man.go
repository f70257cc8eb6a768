package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manCommand writes the manual pages of a root command.
func manCommand(root *cobra.Command) *cobra.Command {
	folder := ""
	cmd := &cobra.Command{
		Use: "man", Short: "Write manual pages, one for each command", Args: cobra.NoArgs,
		Long: "Writes them to a folder, for example ~/.local/share/man/man1; then: man terraform-provider-tenant-sweep",
		RunE: func(*cobra.Command, []string) error {
			if err := os.MkdirAll(folder, 0o750); err != nil {
				return fmt.Errorf("--dir: %w", err)
			}
			header := &doc.GenManHeader{Section: "1", Source: "terraform-provider-tenant " + root.Version, Manual: "Tenants"}
			if err := doc.GenManTree(root, header, folder); err != nil {
				return fmt.Errorf("write manual pages: %w", err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&folder, "dir", "man1", "folder to write to; it is made")
	return cmd
}
